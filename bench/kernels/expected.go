package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine/report"
)

// waits are the wait reasons of the runtime by Hocket's words.
var waits = map[string][]string{
	"lock":    {"sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.(RW)?Mutex.Lock"},
	"rlock":   {"sync.RWMutex.RLock"},
	"send":    {"chan send", "chan send (nil chan)"},
	"receive": {"chan receive", "chan receive (nil chan)"},
	"select":  {"select", "select (no cases)"},
	"wait":    {"sync.WaitGroup.Wait", "sync.Cond.Wait"},
}

var number = regexp.MustCompile(`#\d+$`)

// fits reports whether the blocked goroutine is the expected one. A finding whose
// confirmation was cut short has the runtime's wait reason instead of words.
func fits(l programs.Leak, b report.Blocked) bool {
	word, _, _ := strings.Cut(b.On, " ")
	for by, reasons := range waits {
		if slices.Contains(reasons, l.Reason) && (by == word || slices.Contains(reasons, b.On)) {
			return l.Entry.MatchString(number.ReplaceAllString(b.Goroutine, ""))
		}
	}
	return false
}

// seen counts the expected leaks that the finding shows.
func seen(k programs.Kernel, f *report.Finding) int {
	n := 0
	for _, l := range k.Leaks {
		if slices.ContainsFunc(f.Blocked, func(b report.Blocked) bool { return fits(l, b) }) {
			n++
		}
	}
	return n
}
