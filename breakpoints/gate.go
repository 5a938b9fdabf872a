package breakpoints

// A gate says whether a visit of one side is worth anything now. It is all
// that a visit reads where there is nothing to do, so that a breakpoint in a
// hot loop costs a load and a branch there.
type gateRow [16]gate

const (
	isSet      = 0            // gate that is open while the breakpoint is set at all
	didAwaited = MaxSides + 1 // gate that is open while somebody waits for a Did
)

// gates of injected breakpoints, by Definition.ID. A table of fixed size, since
// the numbers in calls are constants: then so are the addresses.
var gates [MaxID + 1]gateRow

// On reports whether breakpoint id is defined in this process.
//
//go:norace
func On(id int) bool { return gates[id&MaxID][isSet].isOpen() }

// Ready is On for code that may be hot: it is false as well while this side
// has nothing to do, because it has paused enough and no partner waits. Where
// captured variables would be moved to memory, declare copies behind it:
//
//	if Ready(3, 1) { p, i := p, i; Side(3, 1, func() (bool, []any) { return i > 0, []any{p} }) }
//
//go:norace
func Ready(id, side int) bool { return gates[id&MaxID][side&15].isOpen() }
