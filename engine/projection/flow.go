package projection

import "slices"

// connect says of each row what it is, which of the others wrote the value that it
// saw, and where it stands in the passing run. entries[i] became rows[i].
func (a *analysis) connect(rows []Row, entries []entry) {
	inFail, inPass := map[int]int{}, map[int]int{} // event to number of its row
	var passed []int
	for i, e := range entries {
		fail, pass := a.events(e)
		if fail >= 0 {
			inFail[fail] = i + 1
		}
		if pass >= 0 {
			inPass[pass] = i + 1
			passed = append(passed, pass)
		}
	}
	slices.Sort(passed)
	for i, e := range entries {
		r := &rows[i]
		fail, pass := a.events(e)
		r.Event, r.PassEvent = fail+1, pass+1
		if fail >= 0 && a.fail.src[fail] >= 0 {
			r.From = inFail[a.fail.src[fail]]
		}
		if pass >= 0 {
			at, _ := slices.BinarySearch(passed, pass)
			r.PassOrder = at + 1
			if src := a.pass.src[pass]; src >= 0 {
				r.PassFrom = inPass[src]
			}
		}
		switch {
		case e.wait:
			r.Role = Waits
		case e.late:
			r.Role = OnlyPassing
		case e.ev >= 0 && e.ev == a.fail.fail:
			r.Role = Fails
		}
	}
}

// events are the places of a step in both runs, -1 where one lacks it.
func (a *analysis) events(e entry) (fail, pass int) {
	switch {
	case e.wait:
		return -1, a.wentOn(e)
	case e.ev < 0:
		return -1, -1
	case e.late:
		return -1, e.ev
	}
	return e.ev, a.m.toPass[e.ev]
}

// wentOn is the event by which the passing run got past a wait: the next one of the
// same goroutine at the same place, after the last that both runs have; -1 if there is
// none.
func (a *analysis) wentOn(e entry) int {
	if a.pass == nil || int(e.g) >= len(a.fail.byG) {
		return -1
	}
	for _, ev := range slices.Backward(a.fail.byG[e.g]) {
		p := a.m.toPass[ev]
		if p < 0 {
			continue
		}
		for _, next := range a.pass.byG[a.pass.events[p].G][a.pass.pos[p]+1:] {
			if a.pass.events[next].Op == e.op && sameLines(a.userFrames(a.pass.stack(next)), e.stack) {
				return next
			}
		}
		return -1
	}
	return -1
}
