package constraint_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/constraint/constrainttest"
)

// world is a valid schedule with what does not happen behind it.
type world struct {
	order []constraint.EventID
	pos   []int
	from  map[constraint.EventID]constraint.EventID
	meets func(constraint.Goal) bool
}

// worlds lists valid schedules of a system, all of them if they are not more
// than limit.
func worlds(s *constraint.System, r *rand.Rand, limit int) []world {
	m := constraint.NewMachine(s)
	var out []world
	var visit func()
	visit = func() {
		if len(out) >= limit {
			return
		}
		if m.Open() == constraint.NoEvent {
			out = append(out, snapshot(s, m, r))
		}
		for t := range s.Threads {
			for _, e := range m.Next(constraint.ThreadID(t)) {
				if m.Perform(e) == nil {
					visit()
					m.Undo()
				}
			}
		}
	}
	visit()
	return out
}

func snapshot(s *constraint.System, m *constraint.Machine, r *rand.Rand) world {
	at := m.Clone()
	w := world{
		order: complete(s, m.Performed(), r),
		from:  map[constraint.EventID]constraint.EventID{},
		meets: func(g constraint.Goal) bool { return at.Meets(g) == nil },
	}
	w.pos = positions(w.order)
	for _, e := range m.Performed() {
		switch s.Events[e].Op {
		case constraint.Read, constraint.RMW, constraint.Recv:
			w.from[e] = m.From(e)
		}
	}
	return w
}

func positions(order []constraint.EventID) []int {
	pos := make([]int, len(order))
	for i, e := range order {
		pos[e] = i
	}
	return pos
}

// complete puts End and then all other events, in program order, behind a prefix.
func complete(s *constraint.System, prefix []constraint.EventID, r *rand.Rand) []constraint.EventID {
	order := append(slices.Clone(prefix), s.End())
	done := make([]bool, len(s.Events))
	for _, e := range prefix {
		done[e] = true
	}
	for len(order) <= len(s.Events) {
		var ready []constraint.EventID
		for e := range s.Events {
			if p := s.Events[e].Prev; !done[e] && (p == constraint.NoEvent || done[p]) {
				ready = append(ready, constraint.EventID(e))
			}
		}
		e := ready[r.IntN(len(ready))]
		done[e] = true
		order = append(order, e)
	}
	return order
}

// anyOrder is a random order: of all events, in program order or not, or a valid
// one with two events exchanged.
func anyOrder(s *constraint.System, all []world, r *rand.Rand) []constraint.EventID {
	var order []constraint.EventID
	switch r.IntN(5) {
	case 0:
		for i := range len(s.Events) + 1 {
			order = append(order, constraint.EventID(i))
		}
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return order
	case 1, 2:
		order = complete(s, nil, r)
		at := r.IntN(len(order))
		return slices.Insert(order[1:], at, s.End())
	}
	order = slices.Clone(all[r.IntN(len(all))].order)
	for range 1 + r.IntN(2) {
		i := r.IntN(len(order))
		e := order[i]
		order = slices.Delete(order, i, i+1)
		order = slices.Insert(order, r.IntN(len(order)+1), e)
	}
	return order
}

func holds(c constraint.Clause, pos []int, from func(constraint.EventID) constraint.EventID) bool {
	for _, l := range c {
		v := false
		if l.From {
			v = from(l.B) == l.A
		} else {
			v = pos[l.A] < pos[l.B]
		}
		if v != l.Neg {
			return true
		}
	}
	return false
}

const nobody = constraint.EventID(-2)

func (w *world) took(r constraint.EventID) constraint.EventID {
	if f, ok := w.from[r]; ok {
		return f
	}
	return nobody
}

// TestExplainIsSoundAndComplete: each clause is false in the current order and
// true in all valid schedules (that meet the goal), and an order without
// violation is valid and meets it.
func TestExplainIsSoundAndComplete(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	rules := map[string]int{}
	for seed := range rounds {
		if !explainOne(t, uint64(seed), rules) {
			t.Logf("seed %d", seed)
			break
		}
	}
	if len(rules) < 30 {
		t.Errorf("only these rules were broken: %v", rules)
	}
}

func explainOne(t *testing.T, seed uint64, rules map[string]int) bool {
	r := rand.New(rand.NewPCG(seed, 1))
	s := constrainttest.System(r, constrainttest.Small(r))
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	all := worlds(s, r, 3000)
	c := constraint.NewChecker(s)
	for range 40 {
		order, g := anyOrder(s, all, r), constraint.Goal{}
		if r.IntN(2) == 0 {
			g = constrainttest.Goal(r, s)
		}
		found := c.Explain(order, g, 0)
		sch, v := c.Simulate(order)
		if v == nil {
			v = s.Meets(sch, g)
		}
		if (v == nil) != (len(found) == 0) {
			t.Errorf("order %v goal %+v: Simulate says %v, Explain %v\n%v", order, g, v, found, describe(s))
			return false
		}
		pos := positions(order)
		c.Explain(order, g, 0) // TookFrom is that of Explain
		for _, f := range found {
			rules[f.Rule+", "+strings.Trim(f.Reason, "0123456789vent(),&|<>=!+: ")]++
			if holds(f.Clause, pos, c.TookFrom) {
				t.Errorf("order %v goal %+v: clause %v of %v is true in it\n%v", order, g, f.Clause, f, describe(s))
				return false
			}
			for i := range all {
				w := &all[i]
				if !holds(f.Clause, w.pos, w.took) && (!strings.HasPrefix(f.Rule, "Φ_bug") || w.meets(g)) {
					t.Errorf("order %v goal %+v: clause %v of %v is false in the valid %v\n%v", order, g, f.Clause, f, w.order, describe(s))
					return false
				}
			}
		}
	}
	return true
}

func describe(s *constraint.System) string {
	out := ""
	for e := range s.Events {
		ev := &s.Events[e]
		out += formatEvent(s, constraint.EventID(e), ev)
	}
	return out
}
