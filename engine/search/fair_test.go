package search_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
)

func targets(n int, cost time.Duration, opt search.Options, p func(*sim.Thread)) (ts []search.Target) {
	for i := range n {
		ts = append(ts, search.Target{Name: fmt.Sprint(i), Open: func(context.Context) (*search.Campaign, error) {
			opt := opt
			opt.Strategy = search.NewMix(opt.Seed) // takes as many attempts as it gets
			return search.New(&sim.Runner{Program: p, Cost: cost}, opt), nil
		}})
	}
	return ts
}

// 500 targets and 10 s: it ends in time, and each had its turn.
func TestFairSmallBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		done := 0
		out := search.Fair(ctx, 10*time.Second, targets(500, 10*time.Millisecond, search.Options{Workers: 2}, sim.Correct),
			search.Hooks{Done: func(int, *search.Outcome) { done++ }})
		if d := time.Since(start); d > 10*time.Second+100*time.Millisecond {
			t.Errorf("took %v", d)
		}
		unseen := 0
		for _, o := range out {
			if o.Status != search.CutShort {
				t.Fatalf("%+v", o)
			}
			if o.Schedules == 0 {
				unseen++
			}
		}
		if unseen > 5 || done != 500 {
			t.Errorf("%d never ran, %d done", unseen, done)
		}
	})
}

// Time that one target does not need goes to the others.
func TestFairGivesTimeOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opt := search.Options{Workers: 2, Schedules: 300}
		ts := append(targets(8, 10*time.Millisecond, opt, sim.LostUpdate(3, 3)), targets(2, 10*time.Millisecond, opt, sim.Correct)...)
		start := time.Now()
		out := search.Fair(ctx, 10*time.Second, ts, search.Hooks{})
		for i, o := range out {
			want := search.Failing
			if i >= 8 {
				want = search.Searched
			}
			if o.Status != want {
				t.Errorf("%d: %+v", i, o)
			}
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

// A slow target must not eat the time of the others, nor one that can't be
// opened stop them.
func TestFairWithSlowAndBrokenTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opt := search.Options{Workers: 2, Schedules: 50}
		ts := targets(1, 3*time.Second, opt, sim.Correct)
		ts = append(ts, search.Target{Name: "broken", Open: func(context.Context) (*search.Campaign, error) {
			return nil, errors.New("does not compile")
		}})
		ts = append(ts, targets(5, 10*time.Millisecond, opt, sim.Correct)...)
		start := time.Now()
		out := search.Fair(ctx, 20*time.Second, ts, search.Hooks{})
		if d := time.Since(start); d > 21*time.Second {
			t.Errorf("took %v", d)
		}
		if out[0].Status != search.CutShort || out[0].Schedules == 0 || out[1].Status != search.Error {
			t.Errorf("%+v %+v", out[0], out[1])
		}
		for _, o := range out[2:] {
			if o.Status != search.Searched {
				t.Errorf("%+v", o)
			}
		}
	})
}

func TestFairCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		out := search.Fair(ctx, 0, targets(100, 10*time.Millisecond, search.Options{Workers: 2}, sim.Correct), search.Hooks{})
		if d := time.Since(start); d != time.Second {
			t.Errorf("took %v", d)
		}
		for _, o := range out {
			if o.Status != search.CutShort {
				t.Errorf("%+v", o)
			}
		}
	})
}
