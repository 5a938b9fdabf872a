package debug

import "fmt"

// Breakpoint is a line with a condition: debuggers take one a line, so it may
// serve several stops.
type Breakpoint struct {
	File      string
	Line      int
	Address   uint64 // if not 0, the breakpoint is at this address and not at the line
	Condition string
	Stops     []int // indices, in the order in which they are reached
}

// HitCondition lets the debugger stop as often as there are stops, in the
// syntax of both Delve's command line and the Debug Adapter Protocol. Only hits
// for which Condition is true are counted.
func (b Breakpoint) HitCondition() string { return fmt.Sprintf("<= %d", len(b.Stops)) }

// Breakpoints returns the breakpoints that make a debugger stop at the stops.
func Breakpoints(stops []Stop) []Breakpoint {
	var out []Breakpoint
	type place struct {
		file string
		line int
		addr uint64
	}
	at := map[place]int{}
	for i, s := range stops {
		p := place{s.File, s.Line, s.Address}
		k, ok := at[p]
		if !ok {
			at[p] = len(out)
			out = append(out, Breakpoint{File: s.File, Line: s.Line, Address: p.addr, Condition: s.Condition(), Stops: []int{i}})
			continue
		}
		out[k].Condition += " || " + s.Condition()
		out[k].Stops = append(out[k].Stops, i)
	}
	return out
}
