package replay_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/replay/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

var ctx = context.Background()

// failing looks for a failing run under random walk.
func failing(t *testing.T, r replay.Runner, seed uint64) *replay.Result {
	t.Helper()
	for ; seed < 5000; seed++ {
		got, err := r.Run(ctx, replay.Spec{
			Strategy: replay.Random, Seed: seed,
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

func sameAs(r *replay.Result) func(*replay.Result) bool {
	want := replay.SignatureOf(r)
	return func(r *replay.Result) bool { return replay.SignatureOf(r) == want }
}

func TestSimplifyReachesFewestPreemptions(t *testing.T) {
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		want    int
	}{
		"lost update":           {sim.LostUpdate(2, 1), 1},
		"lost update, longer":   {sim.LostUpdate(2, 6), 1},
		"lost update, 5 others": {sim.LostUpdate(6, 3), 1},
		"use before init":       {sim.UseBeforeInit, 0},
		"lock order":            {sim.LockOrder, 1},
		"lost signal":           {sim.LostSignal, 1},
	} {
		t.Run(name, func(t *testing.T) {
			runner := sim.New(tc.program)
			for _, seed := range []uint64{0, 1000, 2000} {
				r := failing(t, runner, seed)
				s, err := replay.Simplify(ctx, runner, r, sameAs(r), replay.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v -> %+v in %d replays: %v", s.Before, s.After, s.Replays, s.Schedule.Segments)
				if s.After.Preemptions != tc.want || !s.OneMinimal || s.Minimal != (tc.want == 0) {
					t.Errorf("seed %d: %+v, one-minimal %v, minimal %v", seed, s.After, s.OneMinimal, s.Minimal)
				}
				if c := s.Schedule; c.ClockStep != 0 || c.SelectSeed != 0 || c.InputSeed != 0 {
					t.Errorf("seeds left: %+v", c)
				}
				again, err := runner.Run(ctx, replay.Spec{Schedule: s.Schedule})
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
	var first *replay.Simplified
	for _, workers := range []int{1, 2, 5} {
		s, err := replay.Simplify(ctx, runner, r, sameAs(r), replay.Options{Workers: workers})
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
	s, err := replay.Simplify(ctx, runner, r, sameAs(r), replay.Options{Replays: 9, Workers: 2})
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
	r, _ := runner.Run(ctx, replay.Spec{})
	never := func(*replay.Result) bool { return false }
	if _, err := replay.Simplify(ctx, runner, r, never, replay.Options{}); !errors.Is(err, replay.ErrNotReplayed) {
		t.Errorf("%v", err)
	}
}
