package breakpoints

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// EnvEnable names the breakpoints made by New that are on, separated by
// commas; "all" is all of them.
const EnvEnable = "HOCKET_BREAKPOINTS"

// all in a list of names stands for every breakpoint.
const all = "all"

// registry knows the breakpoints made by New. It is guarded by waiters.mu.
var registry struct {
	first   *registered
	enables *enabling
}

type registered struct {
	*Breakpoint
	next *registered
}

// enabling is one reason for breakpoints to be on.
type enabling struct {
	names []string
	next  *enabling
	seen  []bool // by name: a breakpoint has it
	ended bool
}

var atStart = enableAtStart(os.Getenv(EnvEnable))

func enableAtStart(names string) bool {
	if builtOn {
		names = all
	}
	if names != "" {
		e := enable(strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' }))
		if !has(e.names, all) && !raceBuild { // see sleeper
			time.AfterFunc(time.Second, func() { complain(e.unknownNow()) })
		}
	}
	return names != ""
}

//go:norace
func register(b *Breakpoint) {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	registry.first = &registered{b, registry.first}
	b.arm(enabled(b.def.Name))
	for e := registry.enables; e != nil; e = e.next {
		e.meets(b.def.Name)
	}
}

// meets notes that a breakpoint of this name exists.
//
//go:norace
func (e *enabling) meets(name string) {
	for i, n := range e.names {
		e.seen[i] = e.seen[i] || n == name || n == all
	}
}

// unknown are the names that no breakpoint has.
//
//go:norace
func (e *enabling) unknown() (names string) {
	for i, n := range e.names {
		if !e.seen[i] && n != all {
			names += " " + strconv.Quote(ownCopy(n))
		}
	}
	return names
}

//go:norace
func enabled(name string) bool {
	for e := registry.enables; e != nil; e = e.next {
		if has(e.names, name) || has(e.names, all) {
			return true
		}
	}
	return false
}

// Enable turns on the breakpoints with these names, those made later included;
// without names, all. The function that it returns ends this, and lets
// everybody go who is paused. What is turned on anew starts with fresh
// statistics. Typically:
//
//	defer breakpoints.Enable()()
//
// If by the end no breakpoint of some name has been made, the returned function
// says so in a line on standard error: the name is mistyped. Of names in
// HOCKET_BREAKPOINTS that is said a second after the start, if breakpoints have
// been made, but none of that name (not in builds with -race).
func Enable(names ...string) (restore func()) {
	if len(names) == 0 {
		names = []string{all}
	}
	e := enable(names)
	return func() {
		var unknown string
		change(func() {
			if !e.ended { // else it is said already
				unknown, e.ended = e.unknown(), true
			}
			for p := &registry.enables; *p != nil; p = &(*p).next {
				if *p == e {
					*p = e.next
					return
				}
			}
		})
		complain(unknown)
	}
}

// unknownNow is nothing as long as the program has made no breakpoint at all:
// it may be a tool that only starts the one that is meant.
//
//go:norace
func (e *enabling) unknownNow() string {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	if registry.first == nil {
		return ""
	}
	return e.unknown()
}

//go:norace
func enable(names []string) *enabling {
	e := &enabling{names: names, seen: make([]bool, len(names))}
	change(func() {
		e.next, registry.enables = registry.enables, e
		for r := registry.first; r != nil; r = r.next {
			e.meets(r.def.Name)
		}
	})
	return e
}

func complain(unknown string) {
	if unknown != "" {
		fmt.Fprintf(os.Stderr, "breakpoints: enabled, but made by no New:%s\n", unknown)
	}
}

// change edits the reasons and then arms what has become enabled.
//
//go:norace
func change(edit func()) {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	edit()
	for r := registry.first; r != nil; r = r.next {
		was, is := r.On(), enabled(r.def.Name)
		switch {
		case !was && is:
			if !r.busy() {
				r.define(r.def)
			}
			r.arm(true)
		case was && !is:
			r.arm(false)
			r.releaseAll()
		}
	}
}

// busy reports whether goroutines are in it, from before it was turned off.
//
//go:norace
func (b *Breakpoint) busy() bool {
	for i := range b.sides {
		if b.sides[i].budget.inside > 0 {
			return true
		}
	}
	return b.meetings != nil
}

// Stats gives the statistics of all breakpoints made by New, by name.
//
//go:norace
func Stats() map[string]Stat {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	sum := map[string]Stat{}
	for r := registry.first; r != nil; r = r.next {
		s := sum[r.def.Name]
		own := r.copied()
		s.add(own)
		s.Held = append(s.Held, own.Held...)
		s.Faults = append(s.Faults, own.Faults...)
		sum[r.def.Name] = s
	}
	return sum
}
