package native_test

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

func open(t *testing.T, sys *constraint.System) solve.Session {
	t.Helper()
	s, err := native.New().New(sys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestKnownAnswers: systems too large to enumerate, with answers by construction.
func TestKnownAnswers(t *testing.T) {
	for _, kind := range gen.Kinds() {
		for _, histories := range []bool{true, false} {
			for room := range 2 {
				shape := gen.Shape{Kind: kind, Events: 300, Histories: histories, Cap: 2 * room, Seed: 7}
				in := gen.Make(shape)
				s := open(t, in.System) // one session, so that lemmas of one goal meet the next
				for _, g := range in.Goals {
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					res, err := s.Check(budget.Unlimited(ctx), g.Goal)
					cancel()
					if err != nil {
						t.Fatal(err)
					}
					if want := g.Reachable(); (res.Status == solve.Sat) != want || res.Status == solve.Unknown {
						t.Errorf("%v: %s: %v %s, want reachable = %v", shape, g.Name, res.Status, res.Reason, want)
					}
					if res.Status == solve.Sat {
						if v := in.System.Meets(res.Schedule, g.Goal); v != nil {
							t.Errorf("%v: %s: %v", shape, g.Name, v)
						}
					}
				}
			}
		}
	}
}

// TestEqualValuesInLongRuns: what took one conflict for each order of the regions
// that change two values needs no search, and so is quick in long runs.
func TestEqualValuesInLongRuns(t *testing.T) {
	in := gen.Make(gen.Shape{Kind: gen.Locks, Events: 5000, Seed: 3})
	for _, g := range in.Goals[len(in.Goals)-2:] {
		res, err := open(t, in.System).Check(budget.Unlimited(t.Context()), g.Goal)
		if err != nil || res.Status != solve.Unsat || res.Stats.Conflicts > 1000 {
			t.Errorf("%s: %v after %d conflicts, %v", g.Name, res.Status, res.Stats.Conflicts, err)
		}
	}
}

// TestEndsWhenCancelled cancels at several moments: while clauses are taken,
// played, explained and searched. Machines do other things too, so of each
// moment the best of a few tries counts.
func TestEndsWhenCancelled(t *testing.T) {
	for name, histories := range map[string]bool{"histories": true, "terms": false} {
		t.Run(name, func(t *testing.T) {
			endsWhenCancelled(t, gen.Make(gen.Shape{Kind: gen.Locks, Events: 100_000, Histories: histories, Seed: 1}))
		})
	}
}

func endsWhenCancelled(t *testing.T, in *gen.Instance) {
	t.Helper()
	order := gen.Recorded(in.System)
	var chain []constraint.Clause
	for i := 1; i < len(order); i++ {
		chain = append(chain, constraint.Clause{{A: order[i-1], B: order[i]}})
	}
	const promised, tries = 100 * time.Millisecond, 4
	for _, assume := range [][]solve.Assumption{nil, {{Name: "recorded", Clauses: chain}}} {
		s := open(t, in.System)
		for _, after := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond} {
			for _, g := range in.Goals[len(in.Goals)-2:] { // what takes longest
				best := time.Hour
				for try := 0; try < tries && best > promised; try++ {
					best = min(best, late(t, s, g.Goal, after, assume))
				}
				if best > promised {
					t.Errorf("%s, cancelled after %v: came back %v later", g.Name, after, best)
				}
			}
		}
	}
}

// late is how long a check takes that is cancelled after some time.
func late(t *testing.T, s solve.Session, goal constraint.Goal, after time.Duration, assume []solve.Assumption) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan time.Time, 1)
	timer := time.AfterFunc(after, func() { ended <- time.Now(); cancel() })
	res, err := s.Check(budget.Unlimited(ctx), goal, assume...)
	if err != nil {
		t.Fatal(err)
	}
	if timer.Stop() {
		return 0 // it had its answer before
	}
	later := time.Since(<-ended)
	if res.Status == solve.Unknown && res.Reason != "cancelled" {
		t.Errorf("%s: reason %q", goal.Name, res.Reason)
	}
	t.Logf("%s, cancelled after %v: %v, %v later", goal.Name, after, res.Status, later)
	return later
}

func TestTimeIsUp(t *testing.T) {
	in := gen.Make(gen.Shape{Kind: gen.Locks, Events: 300, Seed: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	res, err := open(t, in.System).Check(budget.Unlimited(ctx), in.Goals[0].Goal)
	if err != nil || res.Status != solve.Unknown || res.Reason != "time is up" {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestClosedSession(t *testing.T) {
	s := open(t, gen.Make(gen.Shape{Kind: gen.Locks, Events: 300, Seed: 1}).System)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(budget.Unlimited(context.Background()), constraint.Goal{}); err == nil {
		t.Error("a closed session answers")
	}
}

func TestInvalidSystem(t *testing.T) {
	sys := &constraint.System{Objects: make([]constraint.Object, 1), Events: []constraint.Event{{Prev: 3}}}
	if _, err := native.New().New(sys); err == nil {
		t.Error("a system that makes no sense is taken")
	}
}
