package breakpoints

import "time"

// EnvBreaks holds the definitions of concurrent breakpoints (see
// [FormatDefinitions]), or "@" and the name of a file with them.
const EnvBreaks = "HOCKET_BREAKS"

// EnvHold, set to "1", is for runs under a debugger: time during which the
// whole process stood still does not count towards any time-out.
const EnvHold = "HOCKET_BREAKS_HOLD"

// Limits of what a definition may say.
const (
	MaxID    = 1023 // of the largest Definition.ID
	MaxSides = 14   // of Definition.Sides
)

// DefaultTimeout is how long a side pauses if its definition does not say.
const DefaultTimeout = 100 * time.Millisecond

// Definition is a concurrent breakpoint (l1, ..., ln; φ) whose sides are
// calls of [Side] in this process (Park and Sen, PPoPP 2012, section 2).
type Definition struct {
	ID       int             // 0 to MaxID
	Name     string          // for the debugger and for messages
	Sides    int             // 2 to MaxSides
	Order    []int           // sides in the order of release; nil is 1, 2, ...
	OneWay   bool            // the first in Order never pauses: the others wait until it has passed
	Timeouts []time.Duration // longest pause, by side; 0 or missing is DefaultTimeout, negative is no pause
	// IgnoreFirst is how many meetings are let pass before the first hit;
	// AtMost, how many hits there are, 0 for no limit.
	IgnoreFirst, AtMost int
	Joint               string // joint predicate, see [CheckJoint]; "" is true
	// Dids tells by side that Did is called after its statement, so that the
	// next in the order waits for that, and not for a short moment only.
	Dids []bool
	// Funcs has by side the function that holds it, as stack dumps write it
	// ("example.com/m.(*Cache).Get"); optional. It helps to notice that a
	// paused goroutine holds a lock which the other side is waiting for.
	Funcs []string
	// At numbers by side the statement before which it is called, from 1; 0 or
	// missing is unknown. Sides of several breakpoints with the same number are
	// called one after another before the same statement, in the order of ID.
	At []int
}
