package breakpoints

import (
	"os"
	"strconv"
	"strings"
)

// injected holds the breakpoints whose sides are calls of Side, by number. It
// is set before any code of the user's runs.
var injected = loadBreaks(os.Getenv(EnvBreaks), os.Getenv(EnvReport))

// holding is set for runs under a debugger.
var holding = os.Getenv(EnvHold) == "1"

//go:norace
func loadBreaks(text, reportName string) (set [MaxID + 1]*Breakpoint) {
	if text == "" {
		return set
	}
	rep := openReport(reportName)
	if name, ok := strings.CutPrefix(text, "@"); ok {
		data, err := os.ReadFile(name)
		if err != nil {
			rep.line("bad " + err.Error())
			return set
		}
		text = string(data)
	}
	defs, err := ParseDefinitions(text)
	if err != nil {
		rep.line("bad " + err.Error())
		return set
	}
	key := strconv.Itoa(os.Getpid()) + "." + strconv.FormatInt(nanotime(), 36)
	for _, d := range defs {
		b := newBreakpoint(d, &gates[d.ID])
		if rep != nil {
			b.journal = &journal{rep: rep, key: key}
		}
		b.arm(true)
		set[d.ID] = b
	}
	findPeers(set[:])
	return set
}

// Side is side (from 1) of breakpoint id: its call goes before the statement.
// local is the local predicate; it also gives the values that the joint
// predicate needs. nil is true, with no values. A panic in it is false, and
// reported. It does not escape, and is not called while there is nothing to do.
//
// A goroutine for which it holds is postponed until others are at all other
// sides and the joint predicate holds, and until its turn in the order; or
// until its time-out, or until nobody else could go on.
//
//go:norace
func Side(id, side int, local func() (bool, []any)) {
	if gates[id&MaxID][side&15].isOpen() {
		atSide(id, side, local)
	}
}

//go:norace
//go:noinline
func atSide(id, side int, local func() (bool, []any)) {
	if b := injected[id&MaxID]; b != nil {
		b.here(side, local)
	}
}

// Did goes after the statement of a side: the next in the order may go on.
//
//go:norace
func Did(id, side int) {
	if gates[id&MaxID][didAwaited].isOpen() {
		injected[id&MaxID].didNext(side)
	}
}
