package search_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A program none of whose goroutines runs beside another has one schedule. It is run no
// further, and proved where nothing else than the schedule could decide.
func TestOneSchedule(t *testing.T) {
	for _, tc := range []struct {
		name      string
		result    run.Result
		status    search.Status
		reason    string
		schedules int
	}{
		{"alone", run.Result{Alone: true}, search.Clean, "one schedule", 1},
		{"reads the clock", run.Result{Alone: true, ReadClock: true}, search.Searched, "reads the clock", 1},
		{"from outside", run.Result{Alone: true, External: 1}, search.Searched, "outside the program", 1},
		{"finalizer of a package", run.Result{Alone: true, Collects: true}, search.Searched, "collected", 1},
		{"finalizer", run.Result{Alone: true, Collects: true, Awaits: true}, search.Searched, "", 120},
		{"other choices", run.Result{Alone: false}, search.Searched, "", 120},
		{"not alone", run.Result{}, search.Searched, "", 120},
	} {
		t.Run(tc.name, func(t *testing.T) {
			runner := runnerFunc(func(context.Context, run.Spec) (*run.Result, error) {
				r := tc.result
				r.Outcome.Kind = trace.Passed
				return &r, nil
			})
			o := search.Run(ctx, runner, 0, search.Options{Strategy: search.NewMix(0), Schedules: 120, Workers: 1}, nil)
			if o.Status != tc.status || o.Schedules != tc.schedules || !strings.Contains(o.Reason, tc.reason) {
				t.Errorf("%s after %d schedules (%s), want %s after %d (%s)", o.Status, o.Schedules, o.Reason, tc.status, tc.schedules, tc.reason)
			}
		})
	}
}

// Where the order of a map's elements decides, each run has another one; random numbers
// are drawn in the same way.
func TestOneScheduleOfManyInputs(t *testing.T) {
	for _, tc := range []struct {
		name   string
		result run.Result
		blind  []string
		reason string
	}{
		{"maps", run.Result{Alone: true, Inputs: 2}, nil, "50 orders"},
		{"random bytes", run.Result{Alone: true, Random: true}, nil, "random numbers"},
		{"random numbers", run.Result{Alone: true}, []string{"math/rand.Intn"}, "random numbers"},
	} {
		seeds := map[uint64]bool{}
		runner := runnerFunc(func(_ context.Context, s run.Spec) (*run.Result, error) {
			seeds[s.Schedule.InputSeed] = true
			r := tc.result
			r.Outcome.Kind = trace.Passed
			return &r, nil
		})
		o := search.Run(ctx, runner, 0, search.Options{Strategy: search.NewMix(0), Schedules: 1000, Workers: 1, Blind: tc.blind}, nil)
		if o.Status != search.Searched || o.Schedules > 80 || !strings.Contains(o.Reason, tc.reason) || len(seeds) < 50 {
			t.Errorf("%s: %s after %d schedules with %d seeds: %s", tc.name, o.Status, o.Schedules, len(seeds), o.Reason)
		}
	}
}

// A program with one schedule that fails for one input in ten is found out.
func TestOneScheduleFailsOfAnInput(t *testing.T) {
	runner := runnerFunc(func(_ context.Context, s run.Spec) (*run.Result, error) {
		r := &run.Result{Alone: true, Inputs: 1, Schedule: s.Schedule, Outcome: trace.Outcome{Kind: trace.Passed}}
		if s.Schedule.InputSeed%10 == 7 {
			r.Outcome = trace.Outcome{Kind: trace.TestFailed, Message: "wrong"}
		}
		return r, nil
	})
	o := search.Run(ctx, runner, 0, search.Options{Strategy: search.NewMix(0), Schedules: 1000, Workers: 1}, nil)
	if o.Status != search.Failing {
		t.Errorf("%s after %d schedules: %s %+v", o.Status, o.Schedules, o.Reason, o.Withheld)
	}
}

// What is proposed does not depend on how fast runs are: equal seeds draw equal inputs.
func TestOneScheduleIsSeeded(t *testing.T) {
	seeds := func() (all map[uint64]bool) {
		var mu sync.Mutex
		all = map[uint64]bool{}
		runner := runnerFunc(func(_ context.Context, s run.Spec) (*run.Result, error) {
			mu.Lock()
			all[s.Schedule.InputSeed] = true
			wait := time.Duration(rand.IntN(200)) * time.Microsecond
			mu.Unlock()
			time.Sleep(wait)
			return &run.Result{Alone: s.Schedule.InputSeed%7 != 3, Inputs: 1, Schedule: s.Schedule, Outcome: trace.Outcome{Kind: trace.Passed}}, nil
		})
		search.Run(ctx, runner, 0, search.Options{Strategy: search.NewMix(1), Seed: 1, Schedules: 80, Workers: 4}, nil)
		return all
	}
	first := seeds()
	for range 5 {
		if again := seeds(); !maps.Equal(again, first) {
			t.Fatalf("%d seeds, and %d others", len(first), len(again))
		}
	}
}

// One schedule that fails is a failure, as of any program.
func TestOneScheduleFails(t *testing.T) {
	runner := runnerFunc(func(context.Context, run.Spec) (*run.Result, error) {
		return &run.Result{Alone: true, Outcome: trace.Outcome{Kind: trace.TestFailed, Message: "wrong"}}, nil
	})
	o := search.Run(ctx, runner, 0, search.Options{Strategy: search.NewMix(0)}, nil)
	if o.Status != search.FailsAlways {
		t.Errorf("%s: %s", o.Status, o.Reason)
	}
}
