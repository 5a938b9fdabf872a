package reduce_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

var ctx = context.Background()

// failing looks for a failing run under random walk.
func failing(t *testing.T, r run.Runner, seed uint64) *run.Result {
	t.Helper()
	for ; seed < 5000; seed++ {
		got, err := r.Run(ctx, run.Spec{
			Strategy: run.Random, Seed: seed,
			Schedule: trace.Schedule{ClockStep: 200, SelectSeed: seed, InputSeed: seed},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Failed() {
			return got
		}
	}
	t.Fatal("no failing schedule")
	return nil
}

func sameAs(r *run.Result) func(*run.Result) bool {
	want := run.SignatureOf(r)
	return func(r *run.Result) bool { return run.SignatureOf(r) == want }
}

func TestSimplifyReachesFewestPreemptions(t *testing.T) {
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		want    int // fewest preemptions
		slack   int // how many more are put up with
	}{
		"lost update":           {sim.LostUpdate(2, 1), 1, 0},
		"lost update, longer":   {sim.LostUpdate(2, 6), 1, 0},
		"lost update, 5 others": {sim.LostUpdate(6, 3), 1, 0},
		"use before init":       {sim.UseBeforeInit, 0, 0},
		"lock order":            {sim.LockOrder, 1, 0},
		"lost signal":           {sim.LostSignal, 1, 0},
		"two changes":           {twoChanges, 2, 0},
		"closed twice":          {closedTwice, 1, 1},
		"long":                  {sim.LostUpdate(8, 40), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			runner := sim.New(tc.program)
			for _, seed := range []uint64{0, 1000, 2000} {
				r := failing(t, runner, seed)
				s, err := reduce.Simplify(ctx, runner, r, sameAs(r), reduce.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v -> %+v in %d replays: %v", s.Before, s.After, s.Replays, s.Schedule.Segments)
				if s.After.Preemptions > tc.want+tc.slack || s.After.Preemptions < tc.want || !s.OneMinimal || s.Minimal != (tc.want == 0) {
					t.Errorf("seed %d: %+v, one-minimal %v, minimal %v", seed, s.After, s.OneMinimal, s.Minimal)
				}
				if c := s.Schedule; c.ClockStep != 0 || c.SelectSeed != 0 || c.InputSeed != 0 {
					t.Errorf("seeds left: %+v", c)
				}
				again, err := runner.Run(ctx, run.Spec{Schedule: s.Schedule})
				if err != nil || again.Hash != s.Result.Hash || !sameAs(r)(again) || again.Diverged {
					t.Errorf("schedule does not replay: %v %v", again.Outcome, err)
				}
			}
		})
	}
}

// The number of workers is no part of the result.
func TestSimplifyIsDeterministic(t *testing.T) {
	runner := sim.New(sim.LostUpdate(4, 4))
	r := failing(t, runner, 0)
	var first *reduce.Simplified
	for _, workers := range []int{1, 2, 5} {
		s, err := reduce.Simplify(ctx, runner, r, sameAs(r), reduce.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = s
		} else if !reflect.DeepEqual(s.Schedule, first.Schedule) {
			t.Errorf("%d workers: %v, 1 worker: %v", workers, s.Schedule, first.Schedule)
		}
	}
}

func TestSimplifyEndsWithItsBudget(t *testing.T) {
	runner := sim.New(sim.LostUpdate(4, 20))
	r := failing(t, runner, 0)
	before := runner.Runs()
	s, err := reduce.Simplify(ctx, runner, r, sameAs(r), reduce.Options{Replays: 9, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if used := runner.Runs() - before; used > 9 || s.Replays != used || s.OneMinimal {
		t.Errorf("%d runs, %d told, one-minimal %v", used, s.Replays, s.OneMinimal)
	}
	if !sameAs(r)(s.Result) || s.After.Preemptions > s.Before.Preemptions {
		t.Errorf("%+v", s)
	}
}

func TestSimplifyRefusesWhatDoesNotFail(t *testing.T) {
	runner := sim.New(sim.Correct)
	r, _ := runner.Run(ctx, run.Spec{})
	never := func(*run.Result) bool { return false }
	if _, err := reduce.Simplify(ctx, runner, r, never, reduce.Options{}); !errors.Is(err, reduce.ErrNotReplayed) {
		t.Errorf("%v", err)
	}
}

// Of a schedule that decides every select only those choices stay that the
// failure needs.
func TestSimplifyKeepsTheChoicesThatCount(t *testing.T) {
	for _, tc := range []struct {
		fails string
		want  int // choices left
	}{{"a.a...", 2}, {"......", 0}, {"bbbbbb", 6}, {"..b...", 1}, {"cccccc", 0}} { // without a choice it is c
		t.Run(tc.fails, func(t *testing.T) {
			runner := sim.New(selects(tc.fails))
			plain, err := runner.Run(ctx, run.Spec{Record: run.Full})
			if err != nil {
				t.Fatal(err)
			}
			var all []trace.Choice
			for _, e := range plain.Trace.Events {
				if e.Op == trace.OpSelect {
					n := len(all)
					which := map[byte]int{'a': 2, 'b': 1, 'c': 0, '.': 1}[tc.fails[n]] // receives are numbered from the end
					all = append(all, trace.Choice{G: plain.Trace.Goroutine(e.G).Key, Count: e.Count, Case: which})
				}
			}
			failed, err := runner.Run(ctx, run.Spec{Schedule: trace.Schedule{Choices: all}})
			if err != nil || !failed.Failed() {
				t.Fatalf("not the failure: %v, %v", failed.Outcome, err)
			}
			s, err := reduce.Simplify(ctx, runner, failed, sameAs(failed), reduce.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Schedule.Choices) != tc.want {
				t.Errorf("%d choices left, want %d: %v", len(s.Schedule.Choices), tc.want, s.Schedule.Choices)
			}
			again, err := runner.Run(ctx, run.Spec{Schedule: s.Schedule})
			if err != nil || !sameAs(failed)(again) {
				t.Errorf("the schedule does not replay: %v, %v", again.Outcome, err)
			}
		})
	}
}

// selects fails if its selects choose as the pattern says; a dot is any case.
func selects(pattern string) func(*sim.Thread) {
	return func(t *sim.Thread) {
		a, b, c := t.Chan(9), t.Chan(9), t.Chan(9)
		for range len(pattern) {
			t.Send(a, 0)
			t.Send(b, 0)
			t.Send(c, 0)
		}
		same := true
		for _, p := range pattern {
			which, _, _ := t.Select(false, sim.RecvCase(a), sim.RecvCase(b), sim.RecvCase(c))
			same = same && (p == '.' || int(p-'a') == which)
		}
		t.Assert(!same, "selects chose as they should not")
	}
}

// twoChanges fails if others store between both pairs of neighbouring steps of
// one thread: two preemptions.
func twoChanges(t *sim.Thread) {
	a, wg := t.Int(), t.WaitGroup(4)
	for i := range 4 {
		t.Go(func(t *sim.Thread) {
			for k := range 5 {
				mine := i*10 + k
				t.Store(a, mine)
				x := t.Load(a)
				y := t.Load(a)
				t.Assert(x == mine || x == y, "two changes")
			}
			t.Done(wg)
		})
	}
	t.Join(wg)
}

// closedTwice closes a channel twice after a long contended lead.
func closedTwice(t *sim.Thread) {
	closed, c, m, wg := t.Int(), t.Chan(0), t.Mutex(), t.WaitGroup(6)
	for range 6 {
		t.Go(func(t *sim.Thread) {
			for range 10 {
				t.Lock(m)
				t.Yield()
				t.Unlock(m)
			}
			if t.Load(closed) == 0 {
				t.Store(closed, 1)
				t.Close(c)
			}
			t.Done(wg)
		})
	}
	t.Join(wg)
}
