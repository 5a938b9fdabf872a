package libz3

import (
	"context"
	"strings"
	"testing"
	"time"
)

// newSolver is a context and a solver for a test.
func newSolver(t *testing.T, p Params) (*Context, *Solver) {
	t.Helper()
	c, err := NewContext()
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewSolver(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); c.Close() })
	return c, s
}

func check(t *testing.T, s *Solver, want Answer, assume ...Term) {
	t.Helper()
	got, err := s.Check(t.Context(), assume...)
	if err != nil || got != want {
		t.Fatalf("check = %d, %v; want %d (%s)\n%s", got, err, want, s.Reason(), s)
	}
}

func TestScopesModelsAndCores(t *testing.T) {
	c, s := newSolver(t, Params{Seed: 3})
	x, y := c.Const("x", c.Ints()), c.Const("y", c.Ints())
	s.Assert(c.Lt(x, y), c.Lt(c.Int(-5), x), c.Lt(y, c.Add(x, c.Int(2))))
	check(t, s, Sat)
	m, err := s.Model()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	vx, err1 := m.Int(x)
	vy, err2 := m.Int(y)
	if err1 != nil || err2 != nil || vy != vx+1 || vx <= -5 {
		t.Errorf("x = %d (%v), y = %d (%v)", vx, err1, vy, err2)
	}
	s.Push()
	s.Assert(c.Lt(y, x))
	check(t, s, Unsat)
	s.Pop()
	p, q, r := c.Const("p", c.Bools()), c.Const("q", c.Bools()), c.Const("r", c.Bools())
	s.Assert(c.Implies(p, c.Lt(y, c.Int(7))), c.Implies(q, c.Lt(c.Int(9), x)))
	check(t, s, Unsat, p, r, q)
	core := map[Term]bool{}
	for _, t := range s.Core() {
		core[t] = true
	}
	if len(core) != 2 || !core[p] || !core[q] {
		t.Errorf("core has %d terms: p %t, q %t, r %t", len(core), core[p], core[q], core[r])
	}
	check(t, s, Sat, p, r)
}

func TestBitVectorsWrap(t *testing.T) {
	c, s := newSolver(t, Params{})
	x := c.Const("x", c.Bits(8))
	sum := c.Bit(BitAdd, x, c.BitsOf(1, 8))
	s.Assert(c.Bit(Slt, sum, x), c.Eq(c.ZeroExtend(x, 56), c.Const("wide", c.Bits(64))))
	check(t, s, Sat)
	m, err := s.Model()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, term := range map[string]Term{"x": x, "wide": c.Const("wide", c.Bits(64))} {
		if v, err := m.Bits(term); v != 0x7f || err != nil {
			t.Errorf("%s = %#x, %v; the signed byte that has no greater one is 0x7f", name, v, err)
		}
	}
	if v, err := m.Bits(c.BitsOf(1<<63|5, 64)); v != 1<<63|5 || err != nil {
		t.Errorf("a constant of 64 bits comes back as %#x, %v", v, err)
	}
}

func TestSums(t *testing.T) {
	c, s := newSolver(t, Params{})
	var ts []Weighted
	for _, name := range []string{"a", "b", "c"} {
		ts = append(ts, Weighted{c.Const(name, c.Bools()), 2})
	}
	ts = append(ts, Weighted{c.Const("d", c.Bools()), -3})
	s.Assert(c.SumEq(ts, 1))
	check(t, s, Sat)
	s.Assert(c.SumLe(ts[:3], 2))
	check(t, s, Unsat)
}

// TestErrorsStick: a term that is not well-sorted neither ends the process nor
// goes unnoticed.
func TestErrorsStick(t *testing.T) {
	c, s := newSolver(t, Params{})
	bad := c.Add(c.Const("x", c.Ints()), c.Const("b", c.Bools()))
	if bad != 0 || c.Err() == nil {
		t.Fatalf("sum of an integer and a boolean: term %d, error %v", bad, c.Err())
	}
	s.Assert(c.Bool(true))
	if got, err := s.Check(t.Context()); got != Unknown || err == nil {
		t.Errorf("check after an error = %d, %v", got, err)
	}
	good, _ := newSolver(t, Params{})
	if good.Err() != nil {
		t.Errorf("another context knows of the error: %v", good.Err())
	}
}

// hard asserts that n+1 pigeons sit alone in n holes, which Z3 can't refute
// within minutes.
func hard(c *Context, s *Solver, n int) {
	var in [][]Term
	for p := range n + 1 {
		in = append(in, nil)
		for h := range n {
			in[p] = append(in[p], c.Const(strings.Repeat("p", p+1)+strings.Repeat("h", h+1), c.Bools()))
		}
		s.Assert(c.Or(in[p]...))
		for q := range p {
			for h := range n {
				s.Assert(c.Not(c.And(in[p][h], in[q][h])))
			}
		}
	}
}

func TestInterrupt(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Microsecond, 100 * time.Microsecond, time.Millisecond, 50 * time.Millisecond} {
		c, s := newSolver(t, Params{})
		hard(c, s, 12)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(delay, cancel)
		if got, err := s.Check(ctx); got != Unknown || err != nil { // without the interrupt it takes hours
			t.Errorf("cancelled after %v: %d, %v", delay, got, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	c, s := newSolver(t, Params{Timeout: 20 * time.Millisecond})
	hard(c, s, 12)
	check(t, s, Unknown)
	if r := s.Reason(); r != "timeout" && r != "canceled" {
		t.Errorf("reason = %q", r)
	}
}

// TestNoLeak: what checks take is given back.
func TestNoLeak(t *testing.T) {
	c, s := newSolver(t, Params{})
	x, y, p := c.Const("x", c.Ints()), c.Const("y", c.Bits(64)), c.Const("p", c.Bools())
	round := func(i int) {
		mark := c.Mark()
		s.Push()
		s.Assert(c.Eq(x, c.Int(int64(i))), c.Eq(y, c.BitsOf(uint64(i), 64)), c.Implies(p, c.Lt(x, c.Int(int64(i)))))
		check(t, s, Sat)
		m, err := s.Model()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := m.Int(x); n != int64(i) || err != nil {
			t.Fatalf("x = %d, %v in round %d", n, err, i)
		}
		m.Close()
		check(t, s, Unsat, p)
		if core := s.Core(); len(core) != 1 {
			t.Fatalf("core of %d", len(core))
		}
		s.Pop()
		c.Release(mark)
	}
	for i := range 1000 {
		round(i)
	}
	before := Allocated()
	for i := range 10_000 {
		round(1000 + i)
	}
	// Z3's own tables grow by about 1 MB; the terms of these rounds would be 33
	// and the models 110.
	if after := Allocated(); after > before+4_000_000 {
		t.Errorf("%d bytes after 1,000 rounds, %d after 11,000", before, after)
	}
	if c.Mark() > 20 {
		t.Errorf("%d terms are held", c.Mark())
	}
}

func TestContextsAreFreed(t *testing.T) {
	once := func() {
		c, err := NewContext()
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.NewSolver(Params{})
		if err != nil {
			t.Fatal(err)
		}
		hard(c, s, 3)
		check(t, s, Unsat)
		s.Close()
		c.Close()
	}
	once()
	before := Allocated()
	for range 100 {
		once()
	}
	if after := Allocated(); after > before+1_000_000 {
		t.Errorf("%d bytes after one context, %d after 101", before, after)
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"4.8.7", "4.8.12", true}, {"4.8.12", "4.8.12", false}, {"4.13.0", "4.8.12", false}, {"4.8", "4.8.12", true}, {"", "4.8.12", true}, {"5", "4.8.12", false},
	} {
		if got := older(c.a, c.b); got != c.want {
			t.Errorf("older(%q, %q) = %t", c.a, c.b, got)
		}
	}
}
