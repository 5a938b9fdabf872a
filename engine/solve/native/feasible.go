package native

import "github.com/hocket-dev/hocket/engine/constraint"

// feasible knows which sources of reads must-happen-before, with the orders that
// were added for good, rules out, so that no round is spent on each.
type feasible struct {
	t       *theory
	sources map[int32]map[int32]bool // by read or receive: constraint's Writers
}

func newFeasible(t *theory) *feasible {
	return &feasible{t: t, sources: map[int32]map[int32]bool{}}
}

// more forgets what was found, since more orders may rule out more.
func (f *feasible) more() { clear(f.sources) }

// ruledOut says that r can't take its value from w.
func (f *feasible) ruledOut(w, r int32) bool {
	sources, ok := f.sources[r]
	if !ok {
		sources = map[int32]bool{}
		for _, w := range f.t.check.writers(f.t.budget, constraint.EventID(r)) {
			sources[int32(w)] = true
		}
		if !f.t.budget.Spend(1) {
			return false // not all were found
		}
		f.sources[r] = sources
	}
	return !sources[w]
}
