package sat

// causes are the literals that made l true, negated, so that with l they are a
// clause; all are false.
func (s *Solver) causes(l Lit) []Lit {
	r := s.reasons[l.Var()]
	switch {
	case r.theory:
		lits := s.theory.Explain(l)
		first := 0
		for i, k := range lits {
			if k == l {
				first = i
			}
		}
		lits[0], lits[first] = lits[first], lits[0]
		s.reasons[l.Var()] = reason{c: &clause{lits: lits}, by: None}
		return lits[1:]
	case r.c != nil:
		return r.c.lits[1:]
	case r.by != None:
		return []Lit{r.by.Not()}
	}
	return nil
}

// level is the highest level of a literal of a conflict.
func (s *Solver) level(lits []Lit) int {
	n := int32(0)
	for _, l := range lits {
		n = max(n, s.levels[l.Var()])
	}
	return int(n)
}

// analyze makes the first-UIP clause of a conflict at the current level. The
// level to go back to is that of its second literal. Without a clause it was
// stopped.
func (s *Solver) analyze(conflict *clause) (learnt []Lit, back int) {
	learnt = append(learnt, None)
	s.marked = s.marked[:0]
	open := 0 // literals of the current level still to be resolved
	lits := conflict.lits
	s.bumpClause(conflict)
	for i := len(s.trail) - 1; ; i-- {
		for _, l := range lits {
			v := l.Var()
			if s.seen[v] || s.levels[v] == 0 {
				continue
			}
			s.seen[v] = true
			s.marked = append(s.marked, v)
			s.bump(v)
			if int(s.levels[v]) == len(s.starts) {
				open++
			} else {
				learnt = append(learnt, l)
			}
		}
		for !s.seen[s.trail[i].Var()] || int(s.levels[s.trail[i].Var()]) != len(s.starts) {
			i--
		}
		if s.stopped() {
			s.unmark()
			return nil, 0
		}
		l := s.trail[i]
		open--
		if open == 0 {
			learnt[0] = l.Not()
			break
		}
		if c := s.reasons[l.Var()].c; c != nil {
			s.bumpClause(c)
		}
		lits = s.causes(l)
	}
	learnt = s.shorten(learnt)
	s.unmark()
	if len(learnt) > 1 {
		b := 1
		for j := 2; j < len(learnt); j++ {
			if s.levels[learnt[j].Var()] > s.levels[learnt[b].Var()] {
				b = j
			}
		}
		learnt[1], learnt[b] = learnt[b], learnt[1]
		back = int(s.levels[learnt[1].Var()])
	}
	return learnt, back
}

func (s *Solver) unmark() {
	for _, v := range s.marked {
		s.seen[v] = false
	}
}

// shorten drops literals whose causes are all in the clause (local minimisation).
func (s *Solver) shorten(learnt []Lit) []Lit {
	kept := learnt[:1]
	for _, l := range learnt[1:] {
		if !s.redundant(l) {
			kept = append(kept, l)
		}
	}
	return kept
}

func (s *Solver) redundant(l Lit) bool {
	r := s.reasons[l.Var()]
	if r.none() || r.theory {
		return false
	}
	for _, k := range s.causes(l.Not()) {
		if v := k.Var(); !s.seen[v] && s.levels[v] != 0 {
			return false
		}
	}
	return true
}

// blame finds the assumptions that make the literals false: a core. All levels
// are those of assumptions.
func (s *Solver) blame(lits []Lit) {
	s.final = s.final[:0]
	for _, l := range lits {
		s.seen[l.Var()] = true
	}
	for i := len(s.trail) - 1; i >= 0 && len(s.starts) > 0 && i >= s.starts[0]; i-- {
		l := s.trail[i]
		if !s.seen[l.Var()] {
			continue
		}
		s.seen[l.Var()] = false
		if s.reasons[l.Var()].none() {
			s.final = append(s.final, l)
			continue
		}
		for _, k := range s.causes(l) {
			if s.levels[k.Var()] > 0 {
				s.seen[k.Var()] = true
			}
		}
	}
	for _, l := range lits {
		s.seen[l.Var()] = false
	}
}

func (s *Solver) bump(v Var) {
	s.order.activity[v] += s.step
	if s.order.activity[v] > 1e100 {
		for i := range s.order.activity {
			s.order.activity[i] *= 1e-100
		}
		s.step *= 1e-100
	}
	s.order.raise(v)
}

func (s *Solver) bumpClause(c *clause) {
	if !c.learnt {
		return
	}
	c.activity += s.cstep
	if c.activity > 1e20 {
		for _, c := range s.learnts {
			c.activity *= 1e-20
		}
		s.cstep *= 1e-20
	}
}

// lbd counts the levels of a clause (Audemard and Simon 2009).
func (s *Solver) lbd(lits []Lit) int32 {
	for len(s.lbdMark) <= len(s.starts) {
		s.lbdMark = append(s.lbdMark, 0)
	}
	s.lbdStamp++
	n := int32(0)
	for _, l := range lits {
		if v := s.levels[l.Var()]; s.lbdMark[v] != s.lbdStamp {
			s.lbdMark[v] = s.lbdStamp
			n++
		}
	}
	return n
}
