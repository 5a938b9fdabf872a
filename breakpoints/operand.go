package breakpoints

// Bool lets injected code say bool where the program has another meaning for
// the word.
type Bool = bool

// Before is [Side] where an expression must stand: it gives 0. A comparison
// with that has no type of its own, so that it fits beside any boolean operand.
//
//go:norace
func Before(id, side int, local func() (bool, []any)) int {
	if Ready(id, side) {
		Side(id, side, local)
	}
	return 0
}

// None is a predicate that is true and captures nothing, for [Side]: a program
// may have another meaning for nil.
func None() func() (bool, []any) { return nil }
