package sweep_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/native"
	"github.com/hocket-dev/hocket/engine/solve/sweep"
)

var (
	times = flag.Int("sweep.times", 1, "how many times as much is tried")
	seed0 = flag.Uint64("sweep.seed", 0, "seeds start here")
)

// questions are all that can be asked of a system.
func questions(sys *constraint.System, rng *rand.Rand) (qs []sweep.Question) {
	goal := func(g constraint.Goal) { qs = append(qs, sweep.Question{Goal: g}) }
	for i := range sys.Events {
		e, id := &sys.Events[i], []constraint.EventID{constraint.EventID(i)}
		if rng.IntN(3) > 0 { // what is not asked about can be merged
			goal(constraint.Goal{Include: id})
		}
		switch e.Op {
		case constraint.Add, constraint.Unlock, constraint.RUnlock:
			goal(constraint.Goal{Blocked: id})
		}
		for j := range sys.Events {
			o, other := &sys.Events[j], constraint.EventID(j)
			if e.Obj != o.Obj || i == j {
				continue
			}
			switch {
			case i < j && e.Op <= constraint.RMW && e.Op >= constraint.Read && (e.Op != constraint.Read || o.Op != constraint.Read) && rng.IntN(2) == 0:
				goal(constraint.Goal{Stop: append(id, other)})
			case o.Op == constraint.Close && (e.Op == constraint.Send || e.Op == constraint.Close):
				goal(constraint.Goal{Stop: id, Include: []constraint.EventID{other}})
			}
		}
	}
	goal(constraint.Goal{Stuck: true})
	stop := constraint.EventID(rng.IntN(len(sys.Events)))
	qs = append(qs,
		sweep.Question{Goal: constraint.Goal{Stuck: true}, Given: givens(sys, rng)},
		sweep.Question{Goal: constraint.Goal{Stuck: true, Stop: []constraint.EventID{stop}}, Given: givens(sys, rng)})
	return qs
}

// givens are clauses as package forest makes them: some events don't happen,
// and nobody waits in what panics.
func givens(sys *constraint.System, rng *rand.Rand) (out []constraint.Clause) {
	end := sys.End()
	for i := range sys.Events {
		e, id := &sys.Events[i], constraint.EventID(i)
		if rng.IntN(8) == 0 {
			out = append(out, constraint.Clause{{A: end, B: id}})
		}
		if e.Prev == constraint.NoEvent || rng.IntN(2) == 0 {
			continue
		}
		on := constraint.Clause{{A: end, B: e.Prev}}
		for j := range sys.Events {
			if sys.Events[j].Prev == e.Prev {
				on = append(on, constraint.Lit{A: constraint.EventID(j), B: end})
			}
		}
		switch e.Op {
		case constraint.Add, constraint.Unlock:
			out = append(out, on)
		case constraint.Send:
			for j := range sys.Events {
				if o := &sys.Events[j]; o.Op == constraint.Close && o.Obj == e.Obj {
					out = append(out, append(on[:len(on):len(on)], constraint.Lit{A: end, B: constraint.EventID(j)}))
				}
			}
		}
	}
	return out
}

// compare holds a walk's answers against another solver's.
func compare(t *testing.T, name string, sys *constraint.System, qs []sweep.Question, got *sweep.Answers, other solve.Solver, counts *[3]int) {
	t.Helper()
	for i, q := range qs {
		status := got.Status[i]
		counts[status]++
		if status == solve.Unknown {
			continue
		}
		if status == solve.Sat {
			if _, why := solve.Accept(sys, got.Schedules[i].Order, q.Goal, q.Given); why != "" {
				t.Fatalf("%s: %v: %s\n%v", name, q.Goal, why, sys)
			}
			continue // that is proof enough
		}
		session, err := other.New(sys)
		if err != nil {
			t.Fatal(err)
		}
		session.Add(q.Given...)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		want, err := session.Check(budget.Unlimited(ctx), q.Goal)
		cancel()
		session.Close()
		if err != nil || want.Status == solve.Sat {
			t.Fatalf("%s: %+v given %v: no schedule, but %s has %v (%v)\n%v", name, q.Goal, q.Given, other.Name(), want.Schedule, err, sys)
		}
	}
}

// What a walk says of random systems is what all schedules say, and the solver.
func TestAgreesOnRandomSystems(t *testing.T) {
	for _, c := range []struct {
		other  solve.Solver
		events int // at most
		from   uint64
		n      int
	}{
		{enumerate.New(1 << 20), 12, 0, 1200},
		{native.New(), 18, 1 << 32, 400},
	} {
		t.Run(c.other.Name(), func(t *testing.T) {
			t.Parallel()
			var counts [3]int
			for i := range c.n * *times {
				seed := *seed0 + c.from + uint64(i)
				rng := rand.New(rand.NewPCG(seed, 5))
				sys := gen.Random(rng, 4+i%(c.events-3)).System
				if i%2 == 0 {
					plain(sys)
				}
				qs := questions(sys, rng)
				got, err := sweep.Ask(budget.New(t.Context(), 1<<20), sys, qs, sweep.Bound{})
				if err != nil || !got.Complete {
					t.Fatalf("seed %d: %v, complete %v", seed, err, got.Complete)
				}
				compare(t, fmt.Sprint("seed ", seed), sys, qs, got, c.other, &counts)
			}
			t.Logf("%d open, %d sat, %d unsat", counts[solve.Unknown], counts[solve.Sat], counts[solve.Unsat])
			if all := counts[0] + counts[1] + counts[2]; counts[solve.Unknown] > all/10 || counts[solve.Sat] < all/10 || counts[solve.Unsat] < all/10 {
				t.Errorf("the questions are of few kinds: %v", counts)
			}
		})
	}
}

// plain leaves conditions over one value and constants that are written: of such
// systems walks merge states.
func plain(sys *constraint.System) {
	for i := range sys.Events {
		e := &sys.Events[i]
		if e.Val != nil && len(e.Val.Symbols()) > 0 {
			e.Val = nil
		}
		for _, c := range e.Cond {
			for _, s := range c.Symbols() {
				if s != constraint.EventID(i) {
					e.Cond = nil
				}
			}
		}
	}
}

// Of systems made of lock regions and pipelines the answers are known.
func TestKnowsAnswersOfShapes(t *testing.T) {
	for _, kind := range gen.Kinds() {
		for seed := range uint64(4) {
			in := gen.Make(gen.Shape{Kind: kind, Events: 40, Threads: 2, Cap: 1, Histories: true, Seed: seed})
			var qs []sweep.Question
			for _, g := range in.Goals {
				qs = append(qs, sweep.Question{Goal: g.Goal})
			}
			got, err := sweep.Ask(budget.New(t.Context(), 1<<18), in.System, qs, sweep.Bound{})
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range in.Goals {
				if s := got.Status[i]; s == solve.Sat && !g.Reachable() || s == solve.Unsat && g.Reachable() {
					t.Errorf("%v, seed %d: %v is said to be %v", in.Shape, seed, g.Goal, s)
				}
			}
		}
	}
}

func TestEndsAtItsBoundsAndWhenCancelled(t *testing.T) {
	in := gen.Make(gen.Shape{Kind: gen.Locks, Events: 1000, Seed: 1})
	var qs []sweep.Question
	for i := range in.System.Events {
		qs = append(qs, sweep.Question{Goal: constraint.Goal{Include: []constraint.EventID{constraint.EventID(i)}}})
	}
	qs = append(qs, sweep.Question{Goal: constraint.Goal{Stuck: true, Stop: []constraint.EventID{0}}})
	ask := func(ctx context.Context, states int64, b sweep.Bound) *sweep.Answers {
		a, err := sweep.Ask(budget.New(ctx, states), in.System, qs, b)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(t.Context(), 100, sweep.Bound{}); a.Complete || a.States != 100 {
		t.Errorf("%d states, complete %v, want 100 of more", a.States, a.Complete)
	}
	if a := ask(t.Context(), 1<<20, sweep.Bound{Enough: 5}); a.Complete || a.Sat != 5 {
		t.Errorf("%d schedules, complete %v, want 5 of more", a.Sat, a.Complete)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if a := ask(ctx, 1<<30, sweep.Bound{}); a.Complete || time.Since(start) > 5*time.Second {
		t.Errorf("complete %v after %v, want the end of its time", a.Complete, time.Since(start))
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error("the walk ended before its time")
	}
}
