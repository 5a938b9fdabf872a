package sat

import (
	"cmp"
	"slices"

	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// restartUnit is the number of conflicts that Luby's sequence is multiplied with.
const restartUnit = 100

// Solve searches an assignment of all that clauses need, under assumptions. It
// answers True, or False with Core set, or Open with an error: the budget's or
// the theory's. The assignment stays until the next Add or Solve.
func (s *Solver) Solve(b *budget.Budget, assumptions ...Lit) (Value, error) {
	s.budget = b
	defer func() { s.budget = nil }()
	s.backTo(0)
	s.final = s.final[:0]
	s.assumed = assumptions
	s.clean()
	for round := 1; ; round++ {
		answer, err := s.search(restartUnit * luby(round))
		if answer != Open || err != nil {
			return answer, err
		}
		s.backTo(min(s.Level(), len(assumptions)))
	}
}

// Core of the last Solve that answered False: assumptions that can't hold
// together with the clauses. Empty if the clauses alone can't be met.
func (s *Solver) Core() []Lit { return s.final }

// search goes on until an answer or a number of conflicts.
func (s *Solver) search(conflicts int) (Value, error) {
	for n := 0; ; {
		if s.unsat {
			return False, nil
		}
		conflict := s.propagate()
		if !s.budget.Spend(1) {
			return Open, s.budget.Err()
		}
		if conflict != nil {
			n++
			s.stats.Conflicts++
			if s.failed(conflict) {
				return False, nil
			}
			if !s.budget.Spend(1) {
				return Open, s.budget.Err()
			}
			continue
		}
		if n >= conflicts {
			return Open, nil
		}
		if len(s.learnts) > s.maxLearn {
			s.forget()
		}
		l, found, impossible := s.decide()
		switch {
		case impossible:
			return False, nil
		case found:
			s.starts = append(s.starts, len(s.trail))
			s.assign(l, noReason)
		default:
			done, err := s.finish()
			if err != nil {
				return Open, err
			}
			if done {
				return True, nil
			}
		}
	}
}

// finish asks the theory about a full assignment.
func (s *Solver) finish() (bool, error) {
	if s.theory == nil {
		return true, nil
	}
	lemmas, err := s.theory.Final()
	if err != nil {
		return false, err
	}
	s.stats.Lemmas += len(lemmas)
	for _, l := range lemmas {
		s.insert(l)
	}
	return len(lemmas) == 0, nil
}

// failed learns from a conflict, unless stopped. It says whether there is no way
// on.
func (s *Solver) failed(conflict *clause) bool {
	top := s.level(conflict.lits)
	s.backTo(top)
	if top == 0 {
		s.unsat = true
		return true
	}
	learnt, back := s.analyze(conflict)
	if learnt == nil {
		return false
	}
	lbd := s.lbd(learnt)
	s.backTo(back)
	if len(learnt) == 1 {
		s.assign(learnt[0], noReason)
	} else {
		c := &clause{lits: learnt, learnt: true, lbd: lbd, activity: s.cstep}
		s.learnts = append(s.learnts, c)
		s.attach(c)
		s.assign(learnt[0], reason{c: c, by: None})
	}
	s.step /= 0.95
	s.cstep /= 0.999
	return false
}

// decide takes the next assumption, then the most active variable that an
// unsatisfied clause has.
func (s *Solver) decide() (l Lit, found, impossible bool) {
	for s.Level() < len(s.assumed) {
		a := s.assumed[s.Level()]
		switch s.values[a] {
		case Open:
			return a, true, false
		case True:
			s.starts = append(s.starts, len(s.trail)) // a level of its own, so that levels count assumptions
		case False:
			s.blame([]Lit{a})
			s.final = append(s.final, a)
			return None, false, true
		}
	}
	for {
		v, ok := s.order.pop()
		if !ok {
			return None, false, false
		}
		if s.values[v.Pos()] != Open {
			continue
		}
		l := s.wanted(v)
		if l == None {
			s.spared = append(s.spared, spare{v, int32(len(s.starts))})
			continue
		}
		s.stats.Decisions++
		switch s.phases[v] {
		case True:
			l = v.Pos()
		case False:
			l = v.Neg()
		}
		return l, true, false
	}
}

// wanted is the literal of v that an unsatisfied clause has; None if no clause
// needs v.
func (s *Solver) wanted(v Var) Lit {
next:
	for _, c := range s.occurs[v] {
		if c.guard != None && s.values[c.guard] != False {
			continue
		}
		var mine Lit
		for i, l := range c.lits {
			if s.values[l] == True {
				// Found first next time. Watched literals stay where they are.
				if i > 2 {
					c.lits[2], c.lits[i] = c.lits[i], c.lits[2]
				}
				continue next
			}
			if l.Var() == v {
				mine = l
			}
		}
		return mine
	}
	return None
}

// forget deletes half of the learnt clauses: the inactive of many levels.
func (s *Solver) forget() {
	slices.SortFunc(s.learnts, func(a, b *clause) int {
		if (a.lbd <= 2) != (b.lbd <= 2) {
			if a.lbd <= 2 {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.activity, a.activity)
	})
	kept := s.learnts[:0]
	for i, c := range s.learnts {
		if i < len(s.learnts)/2 || c.lbd <= 2 || s.locked(c) {
			kept = append(kept, c)
		} else {
			c.dead = true
		}
	}
	s.learnts = kept
	s.maxLearn += 500
}

func (s *Solver) locked(c *clause) bool {
	return s.values[c.lits[0]] == True && s.reasons[c.lits[0].Var()].c == c
}

// clean drops clauses that have become true for good, at level 0.
func (s *Solver) clean() {
	if s.unsat || len(s.trail) == s.fresh {
		return
	}
	s.fresh = len(s.trail)
	s.clauses = s.alive(s.clauses)
	s.learnts = s.alive(s.learnts)
	for v, cs := range s.occurs {
		s.occurs[v] = slices.DeleteFunc(cs, func(c *clause) bool { return c.dead })
	}
	for v, cs := range s.guards {
		s.guards[v] = slices.DeleteFunc(cs, func(c *clause) bool { return c.dead })
	}
	for l, ws := range s.watches {
		s.watches[l] = slices.DeleteFunc(ws, func(w watch) bool { return w.c.dead })
	}
}

func (s *Solver) alive(cs []*clause) []*clause {
	return slices.DeleteFunc(cs, func(c *clause) bool {
		for _, l := range c.lits {
			if s.values[l] == True && s.levels[l.Var()] == 0 {
				c.dead = true
				return true
			}
		}
		return false
	})
}

// luby is the i-th number of 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993).
func luby(i int) int {
	for k := 1; ; k++ {
		switch {
		case i == 1<<k-1:
			return 1 << (k - 1)
		case i < 1<<k-1:
			return luby(i - (1<<(k-1) - 1))
		}
	}
}
