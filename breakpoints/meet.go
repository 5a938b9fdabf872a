package breakpoints

// maxTries bounds how many combinations of postponed goroutines one arrival
// tests.
const maxTries = 4096

// meet looks for goroutines at all other sides with which v makes the joint
// predicate true, and takes v and them off the list into a meeting. Each
// combination of postponed ones is tested once, by the one of it that came
// last. mu is held; it is given up while a predicate of the user's runs.
//
//go:norace
func (b *Breakpoint) meet(v *visit) bool {
	for _, combo := range b.combos(v) {
		if !b.holds(combo) {
			continue
		}
		if v.end != waiting {
			return false // somebody met v meanwhile
		}
		if b.stillThere(combo) {
			b.begin(combo)
			return true
		}
	}
	return false
}

// combos lists the visits by side (index side-1) that could meet, oldest first.
//
//go:norace
func (b *Breakpoint) combos(v *visit) [][]*visit {
	var all [][]*visit
	pick := make([]*visit, b.def.Sides)
	pick[v.side-1] = v
	var fill func(side int)
	try := func(side int, w *visit) {
		if w != nil && w.end != ignored && len(all) < maxTries && !takesPart(pick, w.goid) {
			pick[side-1] = w
			fill(side + 1)
			pick[side-1] = nil
		}
	}
	fill = func(side int) {
		switch {
		case side > b.def.Sides:
			all = append(all, append([]*visit(nil), pick...))
			return
		case side == v.side:
			fill(side + 1)
			return
		}
		for w := b.sides[side].first; w != nil; w = w.next {
			try(side, w)
		}
		for _, r := range [...]*ring{&b.sides[side].passages, &b.sides[side].inside} {
			if r.n == 0 {
				continue
			}
			for _, w := range r.list {
				if w != nil && (w.passage || b.maybeInside(w)) {
					try(side, w)
				}
			}
		}
	}
	fill(1)
	return all
}

// takesPart reports whether a goroutine is at one of the sides already: nobody is at two.
//
//go:norace
func takesPart(pick []*visit, goid int64) bool {
	for _, p := range pick {
		if p != nil && p.goid == goid {
			return true
		}
	}
	return false
}

//go:norace
func (b *Breakpoint) stillThere(combo []*visit) bool {
	for _, w := range combo {
		if !w.gone() && w.end != waiting || w.inside && !b.isInside(w) {
			return false
		}
	}
	return !b.over
}

// holds evaluates the joint predicate. A panic in it is false, and said.
//
//go:norace
func (b *Breakpoint) holds(combo []*visit) bool {
	if b.when != nil {
		return b.askUser(combo)
	}
	values := make([][]value, len(combo))
	for i, w := range combo {
		values[i] = w.values
	}
	ok, err := b.joint.holds(values)
	if err != nil {
		b.fault(err.Error())
	}
	return ok
}

// askUser calls the predicate of When with copies that this goroutine owns.
//
//go:norace
func (b *Breakpoint) askUser(combo []*visit) bool {
	values := make([][]value, len(combo))
	for i, w := range combo {
		values[i] = w.values
	}
	ok, fault := b.callUser(values)
	if fault != "" {
		b.fault("When: " + fault)
	}
	return ok
}

//go:norace
func (b *Breakpoint) callUser(values [][]value) (ok bool, fault string) {
	waiters.mu.Unlock()
	raceOn()
	defer func() { // also when the predicate ends the goroutine
		raceOff()
		waiters.mu.Lock()
	}()
	copies := make([][]any, len(values))
	for i := range values {
		copies[i] = make([]any, len(values[i]))
		for j := range values[i] {
			v := values[i][j]
			if copies[i][j] = v.v; v.class != anyClass {
				copies[i][j] = v.boxed()
			}
		}
	}
	ok, _, fault = evaluate(func() (bool, []any) { return b.when(copies), nil })
	return ok, fault
}

// begin makes a meeting of a combination.
//
//go:norace
func (b *Breakpoint) begin(combo []*visit) {
	m := &meeting{since: nanotime()}
	m.end, m.again = b.judge(combo)
	b.arrange(m, combo)
	for _, w := range m.order {
		if !w.gone() {
			m.since = min(m.since, w.since)
		}
		if w.in {
			b.sides[w.side].remove(w)
			waiters.leave(&w.waiter)
		}
		w.m, w.end, w.inside = m, m.end, false
	}
	if m.end == inHit {
		m.next, b.meetings = b.meetings, m
		b.gates[didAwaited].set(true)
	}
	b.changed()
	if b.over {
		b.releaseAll()
	}
}

// arrange puts a combination in order. Those that have gone on are the first.
//
//go:norace
func (b *Breakpoint) arrange(m *meeting, combo []*visit) {
	m.order = make([]*visit, 0, len(combo))
	for _, gone := range [...]bool{true, false} {
		for _, side := range b.order {
			if w := combo[side-1]; w.gone() == gone {
				m.order = append(m.order, w)
			}
		}
		if gone {
			m.turn = len(m.order)
		}
	}
}

// judge counts a meeting, and says what it is; again, that it stands on a
// passage which was counted before.
//
//go:norace
func (b *Breakpoint) judge(combo []*visit) (end outcome, again bool) {
	for _, w := range combo {
		if w.passage && w.m != nil {
			return w.end, true
		}
	}
	b.met++
	if b.met <= b.def.IgnoreFirst {
		return ignored, false
	}
	b.stat.Hit++
	// Without a predicate, one passage orders all visits to come.
	ordered := b.def.OneWay && b.joint == nil && b.when == nil
	if ordered || b.def.AtMost > 0 && b.stat.Hit >= b.def.AtMost {
		b.over = true
		for s := 1; s <= b.def.Sides; s++ {
			b.gates[s].set(false)
		}
	}
	return inHit, false
}

// releaseAll ends the pauses that nothing can come of any more.
//
//go:norace
func (b *Breakpoint) releaseAll() {
	for s := 1; s <= b.def.Sides; s++ {
		for w := b.sides[s].first; w != nil; w = b.sides[s].first {
			b.end(w, ignored)
		}
	}
}

// end takes a postponed visit off the list.
//
//go:norace
func (b *Breakpoint) end(v *visit, why outcome) {
	b.sides[v.side].remove(v)
	waiters.leave(&v.waiter)
	v.end = why
	v.wake()
}
