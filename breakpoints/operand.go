package breakpoints

// Bool lets injected code say bool where the program has another meaning for
// the word.
type Bool = bool

// Before is [Side] where an expression must stand: it gives 0. A comparison
// with that has no type of its own, so that it fits beside any boolean operand.
//
// With several sides it is a statement that is each of them: of two goroutines
// that come to it the second is another side than the first, whoever it is.
// Only at the last of the sides does a goroutine pause.
//
//go:norace
func Before(id int, local func() (bool, []any), sides ...int) int {
	if b := injected[id&MaxID]; b == nil {
		return 0
	} else if len(sides) > 1 {
		b.atOneOf(sides, local)
	} else if Ready(id, sides[0]) {
		b.here(sides[0], local)
	}
	return 0
}

//go:norace
func (b *Breakpoint) atOneOf(sides []int, local func() (bool, []any)) {
	for _, side := range sides {
		b.seen(side)
	}
	ok, values, fault := evaluate(local)
	if !ok && fault == "" {
		return
	}
	raceOff()
	defer raceOn()
	hall.mu.Lock() // from the look for a partner to the pause: two could miss each other
	defer hall.mu.Unlock()
	if fault != "" {
		b.fault("condition: " + fault)
		return
	}
	if b.over || !b.gates[isSet].isOpen() {
		return
	}
	for i, side := range sides {
		pauses := i == len(sides)-1
		if (pauses && b.wanted(side) || !pauses && b.partnerWaits(side)) && b.arrive(side, capture(values)) {
			return
		}
	}
}

// None is a predicate that is true and captures nothing, for [Side]: a program
// may have another meaning for nil.
func None() func() (bool, []any) { return nil }
