package search_test

import (
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// lastWins: the last of two workers wins: the value is that of the second, and wrong.
func lastWins(t *sim.Thread) {
	v, wg := t.Int(), t.WaitGroup(2)
	for i := range 2 {
		t.Go(func(t *sim.Thread) {
			t.Store(v, i+1)
			t.Done(wg)
		})
	}
	t.Join(wg)
	if t.Load(v) == 1 {
		t.Panic("the first one came last")
	}
}

// What is proved to suffice does: no run of very many that keeps the orders passes. Of no
// core that is needed in full is a part proved.
func TestSuffices(t *testing.T) {
	for name, program := range map[string]func(*sim.Thread){
		"lost update": sim.LostUpdate(2, 1), "three workers": sim.LostUpdate(3, 1), "last wins": lastWins,
	} {
		t.Run(name, func(t *testing.T) {
			runner := sim.New(program)
			fails := func(r *run.Result) bool { return r.Outcome.Kind == trace.Panicked }
			passes := func(r *run.Result) bool { return r.Outcome.Kind == trace.Passed }
			failing := find(t, runner, fails)
			c, err := cause.Find(ctx, runner, failing, cause.Options{Same: fails, Passes: passes})
			if err != nil || !c.Settled() {
				t.Fatalf("no core: %v, %+v", err, c)
			}
			if !c.Provable() {
				t.Fatalf("%+v", c.Core)
			}
			all := search.Orders{N: len(c.Core), Occurrences: c.Occurrences}
			ok, why := search.Suffices(ctx, runner, run.Spec{}, all)
			t.Logf("%d orders: %v, %s", all.N, ok, why)
			if !ok {
				t.Error("not proved")
			}
			for seed := range uint64(2000) {
				r, err := runner.Run(ctx, run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full})
				if err != nil {
					t.Fatal(err)
				}
				if passes(r) && len(c.Broken(r.Trace)) == 0 {
					t.Fatalf("the run with seed %d keeps the orders and passes", seed)
				}
			}
			for n := range c.Core { // each is needed
				part := search.Orders{N: all.N - 1, Occurrences: func(t *trace.Trace) (before, after [][]int) {
					before, after = c.Occurrences(t)
					return slices.Delete(before, n, n+1), slices.Delete(after, n, n+1)
				}}
				if ok, _ := search.Suffices(ctx, runner, run.Spec{}, part); ok {
					t.Errorf("the core without order %d is proved", n)
				}
			}
		})
	}
}

// A test that fails is known by the goroutine that says so, also where main ends alike.
func TestSufficesForATest(t *testing.T) {
	program := func(t *sim.Thread) {
		v, wg, checked := t.Int(), t.WaitGroup(2), t.WaitGroup(1)
		for range 2 {
			t.Go(func(t *sim.Thread) { t.Store(v, t.Load(v)+1); t.Done(wg) })
		}
		t.Join(wg)
		t.Go(func(t *sim.Thread) {
			if t.Load(v) != 2 {
				t.Errorf("lost")
			}
			t.Done(checked)
		})
		t.Join(checked)
	}
	runner := sim.New(program)
	fails := func(r *run.Result) bool { return r.Outcome.Kind == trace.TestFailed }
	failing := find(t, runner, fails)
	c, err := cause.Find(ctx, runner, failing, cause.Options{Same: fails, Passes: func(r *run.Result) bool { return r.Outcome.Kind == trace.Passed }})
	if err != nil || !c.Provable() {
		t.Fatalf("%v, %+v", err, c)
	}
	failed, ok := c.FailedTest()
	if !ok {
		t.Fatal("it is a test that failed")
	}
	if ok, why := search.Suffices(ctx, runner, run.Spec{}, search.Orders{N: len(c.Core), Occurrences: c.Occurrences, Failed: failed}); !ok {
		t.Errorf("not proved: %s", why)
	}
	never := func(*trace.Trace) (string, int) { p, _ := failed(failing.Trace); return p, -1 }
	if ok, _ := search.Suffices(ctx, runner, run.Spec{}, search.Orders{N: len(c.Core), Occurrences: c.Occurrences, Failed: never}); ok {
		t.Error("proved of a failure that no run shows")
	}
}

// find is a run that fails, recorded in full.
func find(t *testing.T, runner run.Runner, fails func(*run.Result) bool) *run.Result {
	t.Helper()
	for seed := range uint64(1000) {
		r, err := runner.Run(ctx, run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full})
		if err != nil {
			t.Fatal(err)
		}
		if fails(r) {
			return r
		}
	}
	t.Fatal("no run fails")
	return nil
}
