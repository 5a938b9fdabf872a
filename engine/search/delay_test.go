package search_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// planned counts the attempts of a search by their delay, in a program whose timers
// are set for at least soonest.
func planned(t *testing.T, soonest time.Duration, opt search.Options) (sizes map[time.Duration]int, first time.Duration) {
	t.Helper()
	program := sim.New(sim.Correct)
	sizes = map[time.Duration]int{}
	opt.Workers, opt.Schedules = 1, 200
	opt.Strategy = named(t, "mix", 1)
	n := 0
	var mu sync.Mutex // the first attempt is made several times at once
	search.Run(ctx, runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
		r, err := program.Run(ctx, s)
		if err == nil {
			r.Soonest = soonest
		}
		mu.Lock()
		defer mu.Unlock()
		sizes[time.Duration(s.Schedule.Delay)]++
		if n++; n <= 8 {
			first = max(first, time.Duration(s.Schedule.Delay))
		}
		return r, err
	}), 0, opt, nil)
	return sizes, first
}

// Most attempts have no delay, the first ones none at all; the others have a small or
// a larger one, of a size that can matter.
func TestDelaysArePlanned(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct {
		soonest, delay time.Duration
		want           []time.Duration
	}{
		{0, 0, nil},
		{time.Microsecond, 0, []time.Duration{ms, 10 * ms}},
		{5 * ms, 0, []time.Duration{10 * ms}},
		{11 * ms, 0, nil},
		{11 * ms, 50 * ms, []time.Duration{50 * ms}},
		{ms, 50 * ms, []time.Duration{ms, 10 * ms, 50 * ms}},
		{ms, 2 * ms, []time.Duration{ms, 2 * ms}},
		{ms, -1, nil},
	} {
		sizes, first := planned(t, tc.soonest, search.Options{Delay: tc.delay})
		if first != 0 {
			t.Errorf("%+v: one of the first attempts has a delay of %v", tc, first)
		}
		if sizes[0] < 101 {
			t.Errorf("%+v: only %d attempts have no delay", tc, sizes[0])
		}
		for _, d := range tc.want {
			if sizes[d] == 0 {
				t.Errorf("%+v: no attempt has a delay of %v: %v", tc, d, sizes)
			}
		}
		if len(sizes) != 1+len(tc.want) {
			t.Errorf("%+v: %v", tc, sizes)
		}
	}
}

// A failure that came without a delay is reported before one that needed a delay, and
// of one failure the attempt without a delay is kept.
func TestUndelayedFailuresComeFirst(t *testing.T) {
	program := sim.New(sim.Correct)
	type failure struct {
		message string
		delayed time.Duration
	}
	failures := map[uint64]failure{} // by the run's hash: a replay gives the same
	n := 0
	o := search.Run(ctx, runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
		r, err := program.Run(ctx, s)
		if err != nil {
			return r, err
		}
		n++
		r.Soonest = time.Microsecond
		r.Hash += uint64(s.Schedule.Delay)
		f, again := failures[r.Hash]
		switch {
		case again:
		case s.Schedule.Delay > 0 && n%3 == 0:
			f = failure{"delayed only", time.Millisecond}
		case s.Schedule.Delay > 0:
			f = failure{"both", time.Millisecond}
		case n > 60 && n%2 == 0:
			f = failure{"both", 0}
		}
		failures[r.Hash] = f
		if f.message != "" {
			r.Outcome, r.Delayed = trace.Outcome{Kind: trace.TestFailed, Message: f.message}, f.delayed
		}
		return r, err
	}), 0, search.Options{Strategy: named(t, "mix", 1), Workers: 1, Schedules: 400}, nil)
	if len(o.Findings) == 0 || o.Findings[0].Signature.Message != "both" || o.Findings[0].Result.Delayed > 0 {
		t.Errorf("%d findings, first %+v", len(o.Findings), o.Findings)
	}
	if n < 60 || n > 200 {
		t.Errorf("%d attempts: the search did not go on after a failure that had a delay, or did not end", n)
	}
}

// What fails only with a delay is found all the same, some attempts later.
func TestDelayedFailuresAreFound(t *testing.T) {
	program := sim.New(sim.Correct)
	runner := runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
		r, err := program.Run(ctx, s)
		if err == nil {
			r.Soonest = time.Microsecond
			if r.Delayed = time.Duration(s.Schedule.Delay); r.Delayed > 0 {
				r.Outcome = trace.Outcome{Kind: trace.TestFailed, Message: "slow"}
			}
		}
		return r, err
	})
	o := search.Run(ctx, runner, 0, search.Options{Strategy: named(t, "mix", 1), Schedules: 1000}, nil)
	if len(o.Findings) != 1 || o.Schedules < 100 || o.Schedules > 250 {
		t.Errorf("%d findings after %d attempts", len(o.Findings), o.Schedules)
	}
	if o = search.Run(ctx, runner, 0, search.Options{Strategy: named(t, "mix", 1), Schedules: 300, Delay: -1}, nil); len(o.Findings) != 0 {
		t.Errorf("found without delays: %+v", o.Findings)
	}
}

// A failure at a time-out of the program's own, brought about by a delay, is no
// finding, and is listed.
func TestOwnTimeoutsAreWithheld(t *testing.T) {
	program := sim.New(sim.Correct)
	n := 0
	o := search.Run(ctx, runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
		r, err := program.Run(ctx, s)
		if n++; err == nil && n > 10 && n%2 == 0 {
			r.Outcome = trace.Outcome{Kind: trace.TestFailed, Message: "no answer"}
			r.TimedOut, r.Delayed = true, time.Millisecond
		}
		return r, err
	}), 0, search.Options{Strategy: named(t, "mix", 1), Workers: 1, Schedules: 100}, nil)
	if o.Status != search.Searched || len(o.Findings) != 0 || len(o.Withheld) != 1 || o.Withheld[0].Message != "no answer" {
		t.Errorf("%s, findings %+v, withheld %+v", o.Status, o.Findings, o.Withheld)
	}
}
