package search_test

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/solve/solvers"
)

// unseen fails if one critical section comes before the other, by a variable
// that no trace tells of. The first attempt shows the failure.
func unseen(t *sim.Thread) {
	x, got := 3, 0
	m, wg := t.Mutex(), t.WaitGroup(2)
	t.Go(func(t *sim.Thread) { t.Lock(m); x = 1; t.Unlock(m); t.Done(wg) })
	t.Go(func(t *sim.Thread) { t.Lock(m); got = x; t.Unlock(m); t.Done(wg) })
	t.Join(wg)
	if got == 1 {
		t.Errorf("got %d", got)
	}
}

// An exploration that ends without a proof after few runs, all of which failed,
// says nothing of other schedules.
func TestFewFailuresAreNotAlways(t *testing.T) {
	for seed := range uint64(5) {
		opt := search.Options{Strategy: search.NewExplore(solvers.Default()), Seed: seed, Blind: []string{"sort.Slice"}}
		o := search.Run(ctx, sim.New(unseen), 0, opt, nil)
		if o.Status != search.Failing || len(o.Findings) != 1 || len(o.Passing) == 0 {
			t.Errorf("seed %d: %s (%s) after %d", seed, o.Status, o.Reason, o.Schedules)
		}
		opt.Strategy = search.NewExplore(solvers.Default())
		o = search.Run(ctx, sim.New(sim.Broken), 0, opt, nil)
		if o.Status != search.FailsAlways || o.Schedules != 30 {
			t.Errorf("seed %d: %s (%s) after %d, want fails-always after 30", seed, o.Status, o.Reason, o.Schedules)
		}
	}
}

// With a proof fewer runs are enough.
func TestFailsAlwaysIsProved(t *testing.T) {
	o := search.Run(ctx, sim.New(sim.Broken), 0, search.Options{Strategy: search.NewExplore(solvers.Default())}, nil)
	if o.Status != search.FailsAlways || o.Schedules >= 30 || !strings.Contains(o.Reason, "every behaviour") {
		t.Errorf("%s (%s) after %d", o.Status, o.Reason, o.Schedules)
	}
}

// That schedules fail which failed before does not show that all do.
func TestReplaysAreNotAlways(t *testing.T) {
	for schedules, want := range map[int]search.Status{1: search.CutShort, 2: search.CutShort, 3: search.FailsAlways} {
		first := []run.Spec{{Seed: 7}, {Seed: 8}}
		opt := search.Options{Schedules: schedules, Replays: len(first), Strategy: search.NewFirst(search.NewPOS(1), first...)}
		if o := search.Run(ctx, sim.New(sim.Broken), 0, opt, nil); o.Status != want || o.Schedules != schedules {
			t.Errorf("%s (%s) after %d of %d, want %s", o.Status, o.Reason, o.Schedules, schedules, want)
		}
	}
}
