package projection

import "github.com/hocket-dev/hocket/engine/trace"

// take fills the set with the best unit that differs from a passing run, and
// with those that add to it; with the best two others if none differs.
func (a *analysis) take(set *rootSet, units []unit) {
	accept := func(u unit) bool {
		a.complete(&u)
		if !set.add(a.members(u)...) {
			return false
		}
		a.chosen = append(a.chosen, u)
		return true
	}
	for _, u := range units {
		if (u.differs || u.varies) && accept(u) {
			break
		}
	}
	if len(a.chosen) > 0 {
		for _, u := range units {
			if a.adds(u) {
				accept(u)
			}
		}
		a.promote()
		return
	}
	for _, u := range units {
		if len(a.chosen) < 2 && !a.covered(u) {
			accept(u)
		}
	}
}

// alike units, by score, explain the failure together.
const alike = 1.5

// adds reports whether a unit explains something that the chosen ones do not:
// it is as close to the failure as the best, or it leads to one of their steps
// that some passing run does not have.
func (a *analysis) adds(u unit) bool {
	switch {
	case !u.differs && !u.varies || a.covered(u):
		return false
	case u.shape == choice && a.fail.events[u.e].Op == trace.OpRecv && a.fail.events[u.e].Value == 1:
		return false // which message it received
	case u.differs && u.score <= a.chosen[0].score+alike || a.siblings(u):
		return true
	case a.chosen[0].shape == misuse:
		return false
	}
	open := map[int]bool{}
	for _, c := range a.chosen {
		for _, ev := range []int{c.p, c.w, c.e} {
			open[ev] = ev >= 0 && a.optional(ev)
		}
	}
	return a.leadsTo(u.e, open)
}

// leadsTo reports whether an event is among what one of the targets depends on.
func (a *analysis) leadsTo(ev int, targets map[int]bool) bool {
	seen := map[int]bool{}
	todo := []int{ev}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		for _, n := range a.edges[x] {
			if targets[n.from] {
				return true
			}
			if n.from >= 0 && !seen[n.from] {
				seen[n.from] = true
				todo = append(todo, n.from)
			}
		}
	}
	return false
}

// siblings reports whether a unit and the best one yield two operands of one
// value.
func (a *analysis) siblings(u unit) bool {
	for _, n := range a.edges[u.e] {
		for _, m := range a.edges[a.chosen[0].e] {
			if n.from == m.from && n.from != a.fail.fail && !n.ctl && !m.ctl {
				return true
			}
		}
	}
	return false
}

// promote puts an interrupted region that encloses the best unit first: it is
// the wider explanation.
func (a *analysis) promote() {
	if len(a.chosen) == 0 || a.chosen[0].region != nil {
		return
	}
	first := a.fail.events[a.chosen[0].e]
	for i, u := range a.chosen {
		if u.region != nil && a.fail.events[u.e].G == first.G && u.p < a.chosen[0].e && a.chosen[0].e <= u.e {
			a.chosen[0], a.chosen[i] = u, a.chosen[0]
			return
		}
	}
}

// optional reports whether some passing run does without an event.
func (a *analysis) optional(ev int) bool {
	if a.m.toPass[ev] < 0 {
		return true
	}
	for _, m := range a.others {
		if m.toPass[ev] < 0 {
			return true
		}
	}
	return false
}

// covered reports whether a chosen unit shows the same pair already.
func (a *analysis) covered(u unit) bool {
	for _, c := range a.chosen {
		if c.e == u.e && (c.w == u.w || c.shape == woken || u.shape == woken) || c.shape == torn && c.p == u.e || u.shape == early && (c.e == u.e || c.p == u.e && c.w == u.w) {
			return true
		}
	}
	return false
}
