package inject

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// failure says in one line how a run failed; "" if it did not. How a run ends
// decides, not what it prints: a program may print anything.
func failure(r *Result) string {
	switch {
	case r.Hung:
		return "hangs: " + blocked(r.Output)
	case r.Exit == 0:
		return ""
	}
	lines := strings.Split(r.Output, "\n")
	if line := firstWith(lines, "fatal error: "); strings.Contains(line, "all goroutines are asleep") {
		return line + " " + blocked(r.Output)
	} else if line != "" {
		return line
	}
	if line := firstWith(lines, "panic: "); line != "" {
		return strings.TrimSuffix(line, " [recovered]")
	}
	if i := slices.Index(lines, "WARNING: DATA RACE"); i >= 0 {
		return "DATA RACE" + racePlaces(lines[i:])
	}
	for i, line := range lines {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			return strings.TrimSpace(strings.TrimRight("--- FAIL: "+strings.SplitN(name, " (", 2)[0]+": "+logged(lines, i), ": "))
		}
	}
	return r.state // "exit status 3", "signal: killed"
}

func firstWith(lines []string, prefix string) string {
	for _, l := range lines {
		if strings.HasPrefix(l, prefix) {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

var logLine = regexp.MustCompile(`^\s+(?:\S+: )?(\S+\.go:\d+: .*)$`)

// logged is the first line that the test logged: below its verdict, or, with
// -v, above it.
func logged(lines []string, verdict int) string {
	for _, l := range lines[verdict+1:] {
		if m := logLine.FindStringSubmatch(l); m != nil {
			return strings.TrimSpace(m[1])
		}
		if !strings.HasPrefix(l, " ") {
			break
		}
	}
	for i := verdict - 1; i >= 0; i-- {
		if m := logLine.FindStringSubmatch(lines[i]); m != nil {
			return strings.TrimSpace(m[1])
		}
		if strings.HasPrefix(lines[i], "=== RUN") {
			break
		}
	}
	return ""
}

var raceFrame = regexp.MustCompile(`^      (\S+\.go:\d+)`)

// racePlaces are the two innermost frames of a race report.
func racePlaces(lines []string) string {
	var at []string
	seen := false // a frame since the last heading
	for _, l := range lines[1:] {
		if strings.HasPrefix(l, "====") || strings.HasPrefix(l, "Goroutine ") {
			break
		}
		m := raceFrame.FindStringSubmatch(l)
		if m == nil {
			if strings.TrimSpace(l) == "" {
				seen = false
			}
			continue
		}
		if !seen {
			at = append(at, path.Base(m[1]))
		}
		seen = true
	}
	if len(at) == 0 {
		return ""
	}
	return ": " + strings.Join(at, " and ")
}

var (
	goroutineLine = regexp.MustCompile(`^goroutine \d+(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\],]+)[^\]]*\]:`)
	frameLine     = regexp.MustCompile(`^\t(\S+\.go:\d+)`)
)

// blocked describes which goroutines of a dump wait where, by their innermost
// frame outside the standard library.
func blocked(dump string) string {
	count := map[string]int{}
	var order []string
	any := false
	for g := range strings.SplitSeq(dump, "\n\n") {
		lines := strings.Split(strings.TrimLeft(g, "\n"), "\n")
		i := slices.IndexFunc(lines, goroutineLine.MatchString)
		if i < 0 {
			continue
		}
		any = true
		state := goroutineLine.FindStringSubmatch(lines[i])[1]
		at := userFrame(lines[i+1:])
		if at == "" || state == "running" && strings.Contains(g, "hocketpoints") {
			continue
		}
		what := state + " at " + at
		if count[what] == 0 {
			order = append(order, what)
		}
		count[what]++
	}
	switch {
	case !any:
		return "it wrote no goroutines when asked (it may ignore SIGQUIT)"
	case len(order) == 0:
		return "no goroutine waits in the program's own code"
	}
	slices.SortStableFunc(order, func(a, b string) int { return waits(a) - waits(b) })
	const most = 5
	for i, what := range order {
		if n := count[what]; n > 1 {
			order[i] = fmt.Sprintf("%s (%d goroutines)", what, n)
		}
	}
	if len(order) > most {
		order = append(order[:most], fmt.Sprintf("and %d more", len(order)-most))
	}
	return strings.Join(order, ", ")
}

// waits ranks states of goroutines: waiting for a lock is the most informative.
func waits(what string) int {
	for i, prefix := range []string{"sync.Mutex", "sync.RWMutex", "chan ", "select", "sync.", "semacquire"} {
		if strings.HasPrefix(what, prefix) {
			return i
		}
	}
	return 100
}

// userFrame is the place of the first frame of a goroutine that is neither the
// standard library's nor Hocket's.
func userFrame(lines []string) string {
	for i := 0; i+1 < len(lines); i++ {
		fn, _, isCall := strings.Cut(lines[i], "(")
		m := frameLine.FindStringSubmatch(lines[i+1])
		if !isCall || m == nil || strings.HasPrefix(lines[i], "created by ") {
			continue
		}
		pkg := fn
		if slash := strings.LastIndex(fn, "/"); slash >= 0 {
			pkg = fn[:slash+1] + strings.SplitN(fn[slash+1:], ".", 2)[0]
		} else {
			pkg = strings.SplitN(fn, ".", 2)[0]
		}
		first, _, _ := strings.Cut(pkg, "/")
		// Some of the runtime's functions have names of other packages.
		std := !strings.Contains(first, ".") && pkg != "main" && (strings.Contains(m[1], "/src/"+pkg+"/") || strings.Contains(m[1], "/src/runtime/"))
		if std || pkg == "hocketpoints" {
			continue
		}
		return path.Base(m[1])
	}
	return ""
}

// Alike reports messages that differ in numbers and addresses only by the same
// words.
func Alike(message string) string { return digits.ReplaceAllString(message, "#") }

var digits = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
