package sat

// propagate makes true what follows, clauses first since the theory costs more.
// It returns a clause whose literals are all false, or nil.
func (s *Solver) propagate() *clause {
	for {
		if c := s.propagateClauses(); c != nil {
			return c
		}
		if s.theory == nil || s.thead == len(s.trail) {
			s.thead = len(s.trail)
			return nil
		}
		for s.thead < len(s.trail) && s.qhead == len(s.trail) {
			if s.stopped() {
				return nil
			}
			if lits := s.theory.Assign(s.trail[s.thead]); lits != nil {
				return &clause{lits: lits}
			}
			s.thead++
		}
	}
}

func (s *Solver) propagateClauses() *clause {
	for s.qhead < len(s.trail) {
		l := s.trail[s.qhead]
		s.qhead++
		ws := s.watches[l]
		kept := ws[:0]
		for i := 0; i < len(ws); i++ {
			w := ws[i]
			if s.values[w.blocker] == True {
				kept = append(kept, w)
				continue
			}
			c := w.c
			if c.dead {
				continue
			}
			if c.lits[0] == l.Not() {
				c.lits[0], c.lits[1] = c.lits[1], c.lits[0]
			}
			first := c.lits[0]
			if s.values[first] == True {
				kept = append(kept, watch{c, first})
				continue
			}
			if s.rewatch(c, first) {
				continue
			}
			kept = append(kept, watch{c, first})
			if s.values[first] == False {
				kept = append(kept, ws[i+1:]...)
				s.watches[l] = kept
				return c
			}
			s.assign(first, reason{c: c, by: None})
		}
		s.watches[l] = kept
	}
	return nil
}

// rewatch watches another literal than the false one at index 1.
func (s *Solver) rewatch(c *clause, first Lit) bool {
	for k := 2; k < len(c.lits); k++ {
		if s.values[c.lits[k]] != False {
			c.lits[1], c.lits[k] = c.lits[k], c.lits[1]
			n := c.lits[1].Not()
			s.watches[n] = append(s.watches[n], watch{c, first})
			return true
		}
	}
	return false
}

// stopped spends a step now and then, and says whether there was none left.
func (s *Solver) stopped() bool {
	s.polls++
	return s.polls%64 == 0 && s.budget != nil && !s.budget.Spend(1)
}
