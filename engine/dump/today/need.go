package today

import "strings"

// need is what a line must do to be the one of a call.
type need struct {
	kind kind
	name string // of the function that it calls
}

type kind int

const (
	anything kind = iota // there is code
	calls                // a function, by its last name; any if that is ""
	receives
	sends
	selects
	starts  // a go statement
	returns // a return, or the end of a function: deferred calls run there
)

// needOf tells from what a goroutine waits for what its innermost call did.
func needOf(reason string) need {
	switch {
	case strings.HasPrefix(reason, "chan receive"):
		return need{kind: receives}
	case strings.HasPrefix(reason, "chan send"):
		return need{kind: sends}
	case strings.HasPrefix(reason, "select"):
		return need{kind: selects}
	}
	return need{}
}

// callOf is a call of a function; by is what a call of the runtime stands for.
func callOf(fn string, by need) need {
	if strings.HasPrefix(fn, "runtime.") && !strings.HasPrefix(fn, "runtime.G") || fn == "panic" {
		return by
	}
	if i := strings.IndexByte(fn, '['); i >= 0 {
		fn = fn[:i] + fn[strings.LastIndexByte(fn, ']')+1:]
	}
	name := fn[strings.LastIndexByte(fn, '.')+1:]
	if strings.HasPrefix(name, "func") || strings.Trim(name, "0123456789") == "" || strings.Contains(name, "-") {
		return need{kind: calls} // a closure, by whatever name
	}
	return need{kind: calls, name: name}
}
