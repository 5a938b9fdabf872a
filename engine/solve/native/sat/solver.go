package sat

import "github.com/hocket-dev/hocket/engine/solve/budget"

type clause struct {
	lits     []Lit
	activity float64
	lbd      int32
	guard    Lit // only if it is false are variables decided for this clause; None: always
	learnt   bool
	dead     bool // out of use; watchers drop it when they meet it
}

// reason is why a literal is true: a clause, a single literal, or the theory.
type reason struct {
	c      *clause
	by     Lit // the clause {l, not by}; None if c or theory says it
	theory bool
}

// spare is a variable whose clauses were all satisfied at a level, and so are
// until that is undone.
type spare struct {
	v     Var
	level int32
}

var noReason = reason{by: None}

func (r reason) none() bool { return r.c == nil && r.by == None && !r.theory }

type watch struct {
	c       *clause
	blocker Lit // a literal of c: if it is true, c need not be looked at
}

// Solver holds clauses and a partial assignment.
type Solver struct {
	theory Theory
	budget *budget.Budget // of the current Solve
	polls  uint32

	values  []Value // by literal
	levels  []int32 // by variable, as all below
	reasons []reason
	phases  []Value // Open: what a clause wants
	seen    []bool
	occurs  [][]*clause // by variable: clauses that are not learnt
	guards  [][]*clause // by variable: clauses whose guard it is

	watches [][]watch // by literal that became false
	clauses []*clause
	learnts []*clause

	trail        []Lit
	starts       []int // trail length at the start of each level
	qhead, thead int

	order    heap
	step     float64 // of variable activity
	cstep    float64 // of clause activity
	spared   []spare // taken from the heap while nobody asked for them
	unsat    bool    // at level 0
	final    []Lit   // failed assumptions
	assumed  []Lit
	fresh    int // trail length at level 0 at the last clean-up
	maxLearn int
	stats    Stats

	minimise []Lit // scratch of analyze
	marked   []Var
	lbdMark  []int32
	lbdStamp int32
}

// New makes a solver without variables. theory may be nil.
func New(theory Theory) *Solver {
	return &Solver{theory: theory, step: 1, cstep: 1, maxLearn: 4000}
}

// NewVar makes a variable. hint is the first value that it is tried with, and
// then the one that it had last; Open is always that which satisfies a clause.
// early, of 0 to 1, moves it forward among variables that no conflict was about
// yet.
func (s *Solver) NewVar(hint Value, early float64) Var {
	v := Var(len(s.levels))
	s.values = append(s.values, Open, Open)
	s.watches = append(s.watches, nil, nil)
	s.levels = append(s.levels, 0)
	s.reasons = append(s.reasons, noReason)
	s.phases = append(s.phases, hint)
	s.seen = append(s.seen, false)
	s.occurs = append(s.occurs, nil)
	s.guards = append(s.guards, nil)
	s.order.grow(early * s.step)
	s.order.insert(v)
	return v
}

// Value of a literal now.
func (s *Solver) Value(l Lit) Value { return s.values[l] }

// Level is the decision level now; 0 is what holds for good.
func (s *Solver) Level() int { return len(s.starts) }

// LevelOf is the level at which the variable was assigned.
func (s *Solver) LevelOf(v Var) int { return int(s.levels[v]) }

// Stats so far.
func (s *Solver) Stats() Stats { return s.stats }

// Unsat says whether the clauses alone can't be met.
func (s *Solver) Unsat() bool { return s.unsat }

// Rest forgets the assignment of the last search, but for what holds for good.
func (s *Solver) Rest() { s.backTo(0) }

// Add adds a clause between searches.
func (s *Solver) Add(lits ...Lit) { s.AddLemma(Lemma{Lits: lits, Guard: None}) }

// AddLemma adds a clause between searches.
func (s *Solver) AddLemma(l Lemma) {
	s.backTo(0)
	s.insert(l)
}

// ByTheory says whether l is true because of Imply.
func (s *Solver) ByTheory(l Lit) bool { return s.values[l] == True && s.reasons[l.Var()].theory }

// Imply makes l true on behalf of the theory, which can explain it.
func (s *Solver) Imply(l Lit) {
	if s.values[l] == Open {
		s.assign(l, reason{by: None, theory: true})
	}
}

// ImplyBy makes l true because by is.
func (s *Solver) ImplyBy(l, by Lit) {
	if s.values[l] == Open {
		s.assign(l, reason{by: by})
	}
}

// tidy drops doubles, what is false for good, and clauses that are true for good.
func (s *Solver) tidy(lits []Lit) (kept []Lit, satisfied bool) {
	kept = make([]Lit, 0, len(lits))
	defer func() {
		for _, l := range kept {
			s.seen[l.Var()] = false
		}
	}()
	for _, l := range lits {
		if s.levels[l.Var()] == 0 && s.values[l] != Open {
			if s.values[l] == True {
				return kept, true
			}
			continue
		}
		if !s.seen[l.Var()] {
			s.seen[l.Var()] = true
			kept = append(kept, l)
			continue
		}
		for _, k := range kept {
			if k == l.Not() {
				return kept, true
			}
		}
	}
	return kept, false
}

// insert adds a clause that is not learnt, at any level: it goes back as far as
// the clause needs to be watched well, and makes true what it implies.
func (s *Solver) insert(lemma Lemma) {
	kept, satisfied := s.tidy(lemma.Lits)
	if satisfied || s.unsat {
		return
	}
	switch len(kept) {
	case 0:
		s.unsat = true
		return
	case 1:
		s.backTo(0)
		s.assign(kept[0], noReason)
		return
	}
	s.best(kept, 0)
	s.best(kept, 1)
	c := &clause{lits: kept, guard: lemma.Guard}
	first, second := s.values[kept[0]], s.values[kept[1]]
	if first == False && s.levels[kept[0].Var()] == s.levels[kept[1].Var()] {
		s.backTo(int(s.levels[kept[0].Var()]) - 1)
	} else if second == False && first != True {
		s.backTo(int(s.levels[kept[1].Var()]))
		s.assign(kept[0], reason{c: c, by: None})
	}
	s.clauses = append(s.clauses, c)
	s.attach(c)
	if c.guard != None {
		s.guards[c.guard.Var()] = append(s.guards[c.guard.Var()], c)
	}
	for _, l := range kept {
		v := l.Var()
		s.occurs[v] = append(s.occurs[v], c)
	}
	s.want(c)
}

// best brings the literal to index i that is best to watch: true, then open,
// then false at the highest level.
func (s *Solver) best(lits []Lit, i int) {
	rank := func(l Lit) int32 {
		switch s.values[l] {
		case True:
			return 1 << 30
		case Open:
			return 1 << 29
		}
		return s.levels[l.Var()]
	}
	b := i
	for j := i + 1; j < len(lits); j++ {
		if rank(lits[j]) > rank(lits[b]) {
			b = j
		}
	}
	lits[i], lits[b] = lits[b], lits[i]
}

func (s *Solver) attach(c *clause) {
	a, b := c.lits[0], c.lits[1]
	s.watches[a.Not()] = append(s.watches[a.Not()], watch{c, b})
	s.watches[b.Not()] = append(s.watches[b.Not()], watch{c, a})
}

func (s *Solver) assign(l Lit, why reason) {
	v := l.Var()
	s.values[l], s.values[l.Not()] = True, False
	s.levels[v] = int32(len(s.starts))
	s.reasons[v] = why
	s.trail = append(s.trail, l)
	for _, c := range s.guards[v] {
		if c.guard == l.Not() {
			s.want(c)
		}
	}
}

// want offers the open variables of a clause for decisions.
func (s *Solver) want(c *clause) {
	for _, l := range c.lits {
		if s.values[l] == Open {
			s.order.insert(l.Var())
		}
	}
}

// backTo undoes all levels above n.
func (s *Solver) backTo(n int) {
	if len(s.starts) <= n {
		return
	}
	start := s.starts[n]
	for i := len(s.trail) - 1; i >= start; i-- {
		l := s.trail[i]
		v := l.Var()
		if i < s.thead && s.theory != nil {
			s.theory.Undo(l)
		}
		s.values[l], s.values[l.Not()] = Open, Open
		if s.phases[v] != Open {
			s.phases[v] = True
			if l.Negated() {
				s.phases[v] = False
			}
		}
		s.reasons[v] = noReason
		s.order.insert(v)
	}
	for k := len(s.spared); k > 0 && int(s.spared[k-1].level) > n; k-- {
		s.order.insert(s.spared[k-1].v)
		s.spared = s.spared[:k-1]
	}
	s.trail = s.trail[:start]
	s.starts = s.starts[:n]
	s.qhead = min(s.qhead, start)
	s.thead = min(s.thead, start)
}
