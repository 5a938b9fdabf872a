package sat

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// problem is clauses over few variables, small enough to enumerate.
type problem struct {
	vars    int
	clauses [][]Lit
}

// meets says whether an assignment, a bit per variable, satisfies clauses.
func meets(bits int, clauses [][]Lit) bool {
next:
	for _, c := range clauses {
		for _, l := range c {
			if (bits>>l.Var()&1 != 0) != l.Negated() {
				continue next
			}
		}
		return false
	}
	return true
}

// possible says whether some assignment satisfies clauses and literals.
func (p problem) possible(lits []Lit) bool {
	all := p.clauses
	for _, l := range lits {
		all = append(all[:len(all):len(all)], []Lit{l})
	}
	for bits := range 1 << p.vars {
		if meets(bits, all) {
			return true
		}
	}
	return false
}

func literals(t *rapid.T, vars, most int, name string) []Lit {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 2*vars-1), func(i int) Lit { return Lit(i) }), 0, most).Draw(t, name)
}

// check solves under assumptions and compares with enumeration.
func check(t *rapid.T, s *Solver, p problem, assume []Lit) {
	got, err := s.Solve(budget.Unlimited(context.Background()), assume...)
	if err != nil {
		t.Fatal(err)
	}
	if want := p.possible(assume); (got == True) != want || got == Open {
		t.Fatalf("answer %v, but satisfiable = %v", got, want)
	}
	if got == False {
		core := append([]Lit(nil), s.Core()...)
		for _, l := range core {
			found := false
			for _, a := range assume {
				found = found || a == l
			}
			if !found {
				t.Fatalf("core %v is not of the assumptions %v", core, assume)
			}
		}
		if p.possible(core) {
			t.Fatalf("core %v can be met", core)
		}
		return
	}
	// What is open must not matter: both completions by one value are models.
	for _, rest := range []Value{True, False} {
		bits := 0
		for v := range p.vars {
			if val := s.Value(Var(v).Pos()); val == True || val == Open && rest == True {
				bits |= 1 << v
			}
		}
		if !meets(bits, p.clauses) {
			t.Fatal("the model does not satisfy the clauses")
		}
	}
	for _, a := range assume {
		if s.Value(a) != True {
			t.Fatal("an assumption does not hold in the model")
		}
	}
}

func TestRandomFormulas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problem{vars: rapid.IntRange(1, 9).Draw(t, "vars")}
		s := New(nil)
		for range p.vars {
			hint := Value(rapid.IntRange(-1, 1).Draw(t, "hint"))
			s.NewVar(hint, rapid.Float64Range(0, 1).Draw(t, "early"))
		}
		s.maxLearn = rapid.IntRange(0, 10).Draw(t, "maxLearn") // forget early
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for range rapid.IntRange(0, 25).Draw(t, "clauses") {
				c := literals(t, p.vars, 4, "clause")
				if len(c) == 0 {
					continue
				}
				p.clauses = append(p.clauses, c)
				s.Add(c...)
			}
			check(t, s, p, literals(t, p.vars, 5, "assume"))
		}
	})
}

// lazily hides the clauses of a problem from the solver until it comes with an
// assignment that violates them, or could with what is open; some follow by Imply.
type lazily struct {
	p      problem
	s      *Solver
	taken  []Lit
	told   map[int]bool
	why    map[Lit][]Lit // clause by what it implied
	active bool          // says conflicts and implications itself
}

func (l *lazily) Assign(x Lit) []Lit {
	l.taken = append(l.taken, x)
	if !l.active {
		return nil
	}
	for _, c := range l.p.clauses {
		open, n := None, 0
		sat := false
		for _, k := range c {
			switch l.value(k) {
			case True:
				sat = true
			case Open:
				open, n = k, n+1
			}
		}
		switch {
		case sat:
		case n == 0:
			l.taken = l.taken[:len(l.taken)-1]
			return append([]Lit(nil), c...)
		case n == 1 && l.s.Value(open) == Open:
			l.why[open] = c
			l.s.Imply(open)
		}
	}
	return nil
}

// value is what the theory knows, less than the solver.
func (l *lazily) value(k Lit) Value {
	for _, x := range l.taken {
		if x == k {
			return True
		}
		if x == k.Not() {
			return False
		}
	}
	return Open
}

func (l *lazily) Undo(x Lit) {
	if l.taken[len(l.taken)-1] != x {
		panic("undone out of order")
	}
	l.taken = l.taken[:len(l.taken)-1]
}

func (l *lazily) Explain(x Lit) []Lit { return append([]Lit(nil), l.why[x]...) }

func (l *lazily) Final() (lemmas []Lemma, err error) {
next:
	for i, c := range l.p.clauses {
		for _, k := range c {
			if l.s.Value(k) == True {
				continue next
			}
		}
		if l.told[i] {
			panic("a lemma that is known is not satisfied")
		}
		l.told[i] = true
		lemmas = append(lemmas, Lemma{Lits: c, Guard: None})
	}
	return lemmas, nil
}

// distinct drops doubles, which no real theory has in its clauses.
func distinct(c []Lit) (out []Lit, tautology bool) {
	seen := map[Lit]bool{}
	for _, l := range c {
		if seen[l.Not()] {
			return nil, true
		}
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out, false
}

func TestRandomTheories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := &lazily{told: map[int]bool{}, why: map[Lit][]Lit{}, active: rapid.Bool().Draw(t, "active")}
		th.p.vars = rapid.IntRange(1, 8).Draw(t, "vars")
		th.s = New(th)
		for range th.p.vars {
			th.s.NewVar(Open, 0)
		}
		for range rapid.IntRange(1, 30).Draw(t, "clauses") {
			c, tautology := distinct(literals(t, th.p.vars, 4, "clause"))
			if len(c) > 0 && !tautology {
				th.p.clauses = append(th.p.clauses, c)
			}
		}
		for range 3 {
			check(t, th.s, th.p, literals(t, th.p.vars, 5, "assume"))
		}
	})
}

// pigeons is the formula that n+1 pigeons fit into n holes: long to refute.
func pigeons(n int) *Solver {
	s := New(nil)
	at := func(p, h int) Lit { return Var(p*n + h).Pos() }
	for range (n + 1) * n {
		s.NewVar(Open, 0)
	}
	for p := range n + 1 {
		var some []Lit
		for h := range n {
			some = append(some, at(p, h))
			for q := range p {
				s.Add(at(p, h).Not(), at(q, h).Not())
			}
		}
		s.Add(some...)
	}
	return s
}

func TestPigeons(t *testing.T) {
	s := pigeons(7)
	if got, err := s.Solve(budget.Unlimited(context.Background())); got != False || err != nil {
		t.Fatalf("got %v, %v", got, err)
	}
	if !s.Unsat() || len(s.Core()) != 0 {
		t.Error("the clauses alone can't be met, but the solver doesn't say so")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := pigeons(12)
	go cancel()
	if got, err := s.Solve(budget.Unlimited(ctx)); got != Open || err == nil {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestLuby(t *testing.T) {
	for i, want := range []int{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8} {
		if got := luby(i + 1); got != want {
			t.Errorf("luby(%d) = %d, want %d", i+1, got, want)
		}
	}
}
