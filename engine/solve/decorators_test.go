package solve_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
)

// fake answers as it is told.
type fake struct {
	name  string
	check func(ctx context.Context, goal constraint.Goal, assume []solve.Assumption) (solve.Result, error)
	newed error
}

func (f fake) Name() string { return f.name }
func (f fake) New(*constraint.System) (solve.Session, error) {
	if f.newed != nil {
		return nil, f.newed
	}
	return &fakeSession{of: f}, nil
}

type fakeSession struct {
	solve.Scopes
	of fake
}

func (s *fakeSession) Close() error { return nil }
func (s *fakeSession) Check(b *budget.Budget, goal constraint.Goal, assume ...solve.Assumption) (solve.Result, error) {
	return s.of.check(b.Context(), goal, assume)
}

func always(name string, r solve.Result) fake {
	return fake{name: name, check: func(context.Context, constraint.Goal, []solve.Assumption) (solve.Result, error) { return r, nil }}
}

// sleeper answers when its time has ended, and counts the checks at work.
func sleeper(atWork *atomic.Int32) fake {
	return fake{name: "sleeper", check: func(ctx context.Context, _ constraint.Goal, _ []solve.Assumption) (solve.Result, error) {
		atWork.Add(1)
		defer atWork.Add(-1)
		<-ctx.Done()
		return solve.Result{Reason: "cancelled"}, nil
	}}
}

// chain has a thread that writes 1 and one that reads.
func chain() *constraint.System {
	none := constraint.NoEvent
	return &constraint.System{
		Objects: []constraint.Object{{}, {Kind: constraint.Location, Name: "x"}},
		Threads: []constraint.Thread{{Name: "a"}, {Name: "b"}},
		Events: []constraint.Event{
			{Thread: 0, Prev: none, Op: constraint.Write, Obj: 1, Val: number(1), Partner: none, Child: -1, At: 0},
			{Thread: 1, Prev: none, Op: constraint.Read, Obj: 1, Partner: none, Child: -1, At: 1},
		},
	}
}

func number(n uint64) *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: n}}
}

func reads(n uint64) constraint.Goal {
	return constraint.Goal{Name: "reads", Cond: []*constraint.Term{{Op: constraint.TEq,
		Args: []*constraint.Term{{Op: constraint.Sym, Event: 1}, number(n)}}}}
}

func session(t *testing.T, s solve.Solver, sys *constraint.System) solve.Session {
	t.Helper()
	ss, err := s.New(sys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ss.Close() })
	return ss
}

func TestValidateFindsWrongAnswers(t *testing.T) {
	sat := func(order ...constraint.EventID) solve.Result {
		return solve.Result{Status: solve.Sat, Schedule: &constraint.Schedule{Order: order}}
	}
	readFirst := solve.Assumption{Name: "read first", Clauses: []constraint.Clause{{{A: 1, B: 0}}}}
	writeFirst := solve.Assumption{Name: "write first", Clauses: []constraint.Clause{{{A: 0, B: 1}}}}
	for _, c := range []struct {
		name   string
		answer solve.Result
		assume []solve.Assumption
		wrong  string
	}{
		{"a true one", sat(0, 1), nil, ""},
		{"no schedule", solve.Result{Status: solve.Sat}, nil, "no schedule"},
		{"misses the goal", sat(1, 0), nil, "does not hold"},
		{"not valid", sat(0, 1, 1), nil, "breaks"},
		{"against an assumption", sat(0, 1), []solve.Assumption{readFirst}, "clause"},
		{"a true core", solve.Result{Status: solve.Unsat, Core: []string{"read first"}}, []solve.Assumption{readFirst, writeFirst}, ""},
		{"a core that is none", solve.Result{Status: solve.Unsat, Core: []string{"write first"}}, []solve.Assumption{readFirst, writeFirst}, "allows a schedule"},
		{"an unknown name", solve.Result{Status: solve.Unsat, Core: []string{"x"}}, []solve.Assumption{readFirst}, "no assumption"},
		{"unknown", solve.Result{Reason: "time is up"}, nil, ""},
	} {
		dumped := ""
		s := session(t, solve.Validate(always("liar", c.answer), solve.Checks{
			Cores: enumerate.New(1000),
			Dump:  func(text string) string { dumped = text; return "FILE" },
		}), chain())
		r, err := s.Check(budget.Unlimited(context.Background()), reads(1), c.assume...)
		var wrong *solve.Wrong
		switch {
		case c.wrong == "":
			if err != nil || r.Status != c.answer.Status {
				t.Errorf("%s: %v, %v", c.name, r, err)
			}
			if r.Status == solve.Sat && r.Schedule.Values[1].Bits != 1 {
				t.Errorf("%s: values %v", c.name, r.Schedule.Values)
			}
		case !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, c.wrong):
			t.Errorf("%s: %v, want %q", c.name, err, c.wrong)
		case wrong.Solver != "liar" || wrong.Where != "FILE" || !strings.Contains(dumped, wrong.Reason):
			t.Errorf("%s: %+v, dumped %q", c.name, wrong, dumped)
		}
	}
}

// A goal about what is not there is the asker's mistake, not the solver's.
func TestValidateRefusesGoals(t *testing.T) {
	s := session(t, solve.Validate(always("liar", solve.Result{Status: solve.Sat}), solve.Checks{}), chain())
	for want, g := range map[string]constraint.Goal{
		"there is no event 7": {Blocked: []constraint.EventID{7}},
		"no event -1":         {Order: []constraint.Edge{{Before: -1, After: 0}}},
		"has no value":        {Cond: []*constraint.Term{{Op: constraint.Sym, Event: 0}}},
		"a term is nil":       {Cond: []*constraint.Term{nil}},
	} {
		var wrong *solve.Wrong
		if _, err := s.Check(budget.Unlimited(context.Background()), g); err == nil || errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestPortfolioTakesTheFirstAndWaitsForTheOthers(t *testing.T) {
	var atWork atomic.Int32
	s := session(t, solve.Portfolio(sleeper(&atWork), enumerate.New(1000)), chain())
	for _, want := range []struct {
		goal   constraint.Goal
		status solve.Status
	}{{reads(1), solve.Sat}, {reads(9), solve.Unsat}} {
		r, err := s.Check(budget.Unlimited(context.Background()), want.goal)
		if err != nil || r.Status != want.status || r.Solver != "enumerate" {
			t.Errorf("%v, %v, want %v", r, err, want.status)
		}
		if n := atWork.Load(); n != 0 {
			t.Errorf("%d checks are left behind", n)
		}
	}
}

func TestPortfolioOfNoAnswers(t *testing.T) {
	broken := fake{name: "broken", check: func(context.Context, constraint.Goal, []solve.Assumption) (solve.Result, error) {
		return solve.Result{}, errors.New("broken")
	}}
	small := solve.Limit(always("small", solve.Result{Status: solve.Sat}), 1)
	unsure := always("unsure", solve.Result{Reason: "no idea"})
	r, err := session(t, solve.Portfolio(broken, small, unsure), chain()).Check(budget.Unlimited(context.Background()), reads(1))
	if err != nil || r.Status != solve.Unknown || r.Reason != "unsure: no idea" {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := session(t, solve.Portfolio(broken, small), chain()).Check(budget.Unlimited(context.Background()), reads(1)); err == nil || err.Error() != "broken" {
		t.Errorf("%v, want the error of the only one that was asked", err)
	}
	var large *solve.TooLarge
	if _, err := solve.Portfolio(small).New(chain()); !errors.As(err, &large) || large.Events != 2 || large.Limit != 1 {
		t.Errorf("%v, want a refusal", err)
	}
	var atWork atomic.Int32
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	r, err = session(t, solve.Portfolio(sleeper(&atWork), sleeper(&atWork)), chain()).Check(budget.Unlimited(ctx), reads(1))
	if err != nil || r.Status != solve.Unknown || atWork.Load() != 0 { // the sleepers sleep until then
		t.Errorf("%v, %v, %d at work", r, err, atWork.Load())
	}
}

// TestDecoratorsOnManySystems: a tower of all decorators says what is true.
func TestDecoratorsOnManySystems(t *testing.T) {
	tower := solve.Validate(solve.Portfolio(enumerate.New(20_000), enumerate.New(40_000)), solve.Checks{})
	for seed := range uint64(6) {
		in := gen.Make(gen.Shape{Kind: gen.Locks, Events: 40, Threads: 2, Objects: 1, Seed: seed, Histories: seed%2 == 0})
		s := session(t, tower, in.System)
		for range 2 {
			for _, g := range in.Goals {
				r, err := s.Check(budget.Unlimited(context.Background()), g.Goal)
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != solve.Unknown && (r.Status == solve.Sat) != g.Reachable() {
					t.Errorf("seed %d, %s: %v", seed, g.Name, r)
				}
			}
		}
	}
}

func TestPlacedReadsClauses(t *testing.T) {
	sys := chain()
	end := sys.End()
	lit := func(a, b constraint.EventID) constraint.Lit { return constraint.Lit{A: a, B: b} }
	from := func(a, b constraint.EventID) constraint.Lit { return constraint.Lit{From: true, A: a, B: b} }
	for _, c := range []struct {
		order []constraint.EventID
		lit   constraint.Lit
		want  bool
	}{
		{[]constraint.EventID{0, 1}, lit(0, 1), true},
		{[]constraint.EventID{0, 1}, lit(1, 0), false},
		{[]constraint.EventID{0, 1}, lit(1, end), true},
		{[]constraint.EventID{0, 1}, lit(end, 1), false},
		{[]constraint.EventID{0}, lit(end, 1), true},
		{[]constraint.EventID{0}, lit(0, 1), true},
		{[]constraint.EventID{1}, lit(0, 1), false},
		{[]constraint.EventID{0, 1}, from(0, 1), true},
		{[]constraint.EventID{1, 0}, from(0, 1), false},
		{[]constraint.EventID{1, 0}, from(constraint.NoEvent, 1), true},
	} {
		p := solve.Place(sys, c.order)
		if got := p.Lit(c.lit); got != c.want {
			t.Errorf("%v in %v: %v", c.lit, c.order, got)
		}
		negated := c.lit
		negated.Neg = true
		happens := slices.Contains(c.order, 1) && (c.lit.From || slices.Contains(c.order, 0) || c.lit.A == end)
		if happens && p.Lit(negated) == c.want {
			t.Errorf("not %v in %v: %v", c.lit, c.order, c.want)
		}
	}
}
