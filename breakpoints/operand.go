package breakpoints

// Bool lets injected code say bool where the program has another meaning for
// the word.
type Bool = bool

// Before is [Side] where an expression must stand: it gives 0. A comparison
// with that has no type of its own, so that it fits beside any boolean operand.
//
// With several sides it is a statement that is each of them: of two goroutines
// that come to it the second is another side than the first, whoever it is.
//
//go:norace
func Before(id int, local func() (bool, []any), sides ...int) int {
	for _, side := range sides {
		if !Ready(id, side) {
			continue
		}
		if b := injected[id&MaxID]; b != nil && len(sides) > 1 {
			b.atOneOf(sides, local)
			if s := sides[0]; s >= 1 && s <= b.def.Sides && b.sides[s].shared {
				b.pauseShared(s)
			}
		} else if b != nil {
			b.here(side, local)
		}
		break
	}
	return 0
}

// atOneOf is a visit of a statement that is several sides.
//
//go:norace
func (b *Breakpoint) atOneOf(sides []int, local func() (bool, []any)) {
	for _, side := range sides {
		if side < 1 || side > b.def.Sides {
			return
		}
	}
	ok, values, fault := evaluate(local)
	for _, side := range sides {
		n := b.sides[side].visits.add()
		if !ok && fault == "" {
			b.sides[side].refused.add()
		}
		b.reportVisit(side, n)
	}
	if !ok && fault == "" {
		return
	}
	raceOff()
	defer raceOn()
	waiters.mu.Lock() // from the look for a partner to the pause: two could miss each other
	defer waiters.mu.Unlock()
	if fault != "" {
		b.fault("condition: " + fault)
		return
	}
	if b.over || !b.gates[isSet].isOpen() {
		return
	}
	taken := capture(values)
	for _, side := range sides {
		if b.partnerWaits(side) && b.arrive(side, taken, false) {
			return
		}
	}
	b.takeSide(sides, taken)
}

// takeSide pauses at the side where the fewest are postponed: so all sides are
// taken in turn, and the next one finds a partner. mu is held.
//
//go:norace
func (b *Breakpoint) takeSide(sides []int, values []value) {
	at, fewest := 0, int(^uint(0)>>1)
	for _, side := range sides {
		n := 0
		for w := b.sides[side].first; w != nil; w = w.next {
			n++
		}
		if n <= fewest {
			at, fewest = side, n
		}
	}
	if b.over {
		return
	}
	if b.wanted(at) {
		b.arrive(at, values, true)
		if s := &b.sides[at]; s.shared {
			b.mayBe(goid(), at, sides)
		}
		return
	}
	// Without budget, look again when somebody pauses or the side may again.
	for _, side := range sides {
		if side != at && b.sides[at].budget.closing && !waiters.anyArriving(b.def.at(side)) && !b.partnerWaits(side) {
			b.gates[side].set(false)
			b.markUncounted(side)
		}
	}
}

// mayBe notes that the visit which goroutine goid has just made of a shared
// statement may be any of the sides.
//
//go:norace
func (b *Breakpoint) mayBe(goid int64, at int, sides []int) {
	if st := waiters.stopOf(goid, b.def.at(at)); st != nil {
		if v := st.visits[len(st.visits)-1]; v.b == b && v.end == waiting {
			v.oneOf = make([]int, 0, len(sides))
			for _, side := range sides {
				if side != at {
					v.oneOf = append(v.oneOf, side)
				}
			}
		}
	}
}

// None is a predicate that is true and captures nothing, for [Side]: a program
// may have another meaning for nil.
func None() func() (bool, []any) { return nil }
