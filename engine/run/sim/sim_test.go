package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

func runSpec(t *testing.T, p func(*sim.Thread), s run.Spec) *run.Result {
	t.Helper()
	r, err := sim.New(p).Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Without preemption the programs pass, except those made to fail always.
func TestDefaultRule(t *testing.T) {
	for name, tc := range map[string]struct {
		p    func(*sim.Thread)
		want trace.OutcomeKind
	}{
		"lost update":     {sim.LostUpdate(3, 2), trace.Passed},
		"use before init": {sim.UseBeforeInit, trace.Passed},
		"lock order":      {sim.LockOrder, trace.Passed},
		"correct":         {sim.Correct, trace.Passed},
		"racy":            {sim.Racy, trace.Raced},
		"leak":            {sim.LeakOnTimeout(false), trace.Passed},
		"always leaks":    {sim.LeakOnTimeout(true), trace.Leaked},
		"broken":          {sim.Broken, trace.TestFailed},
	} {
		if r := runSpec(t, tc.p, run.Spec{}); r.Outcome.Kind != tc.want {
			t.Errorf("%s: %s (%s), want %s", name, r.Outcome.Kind, r.Outcome.Message, tc.want)
		}
	}
}

// What any strategy ran can be replayed from the schedule alone, and the
// ends say which switches were preemptions.
func TestRecordedScheduleReplays(t *testing.T) {
	programs := []func(*sim.Thread){
		sim.LostUpdate(3, 3), sim.UseBeforeInit, sim.LockOrder, sim.LostSignal,
		sim.LeakOnTimeout(true), sim.Racy, sim.Broken,
	}
	for i, p := range programs {
		for _, st := range []run.Strategy{run.Random, run.POS, run.PCT} {
			for seed := range uint64(30) {
				r := runSpec(t, p, run.Spec{
					Strategy: st, Seed: seed, Depth: 2, Length: 20,
					Schedule: trace.Schedule{ClockStep: 200, SelectSeed: seed},
				})
				again := runSpec(t, p, run.Spec{Schedule: r.Schedule})
				if again.Hash != r.Hash || run.SignatureOf(again) != run.SignatureOf(r) || again.Diverged {
					t.Fatalf("program %d, %s, seed %d: replay differs: %v, then %v (diverged %v)", i, st, seed,
						run.SignatureOf(r), run.SignatureOf(again), again.Diverged)
				}
				if len(r.Ends) != len(r.Schedule.Segments) {
					t.Fatalf("%d ends for %d segments", len(r.Ends), len(r.Schedule.Segments))
				}
			}
		}
	}
}

func TestSegmentOfBlockedThreadIsSkipped(t *testing.T) {
	r := runSpec(t, sim.Correct, run.Spec{Schedule: trace.Schedule{Segments: []trace.Segment{{G: sim.Key("0.9"), Until: 3}}}})
	if !r.Diverged || r.Outcome.Kind != trace.Passed {
		t.Errorf("diverged %v, %s", r.Diverged, r.Outcome.Kind)
	}
}

func TestRacesOnlyWithoutLock(t *testing.T) {
	for seed := range uint64(20) {
		s := run.Spec{Strategy: run.Random, Seed: seed}
		if r := runSpec(t, sim.Correct, s); len(r.Races) > 0 {
			t.Fatalf("correct program races: %v", r.Races)
		}
		if r := runSpec(t, sim.Racy, s); len(r.Races) == 0 {
			t.Fatalf("seed %d: no race", seed)
		}
	}
}

func TestChannels(t *testing.T) {
	var got []int
	p := func(t *sim.Thread) {
		got = nil
		c, done := t.Chan(1), t.Chan(0)
		t.Go(func(t *sim.Thread) {
			for {
				v, ok := t.Recv(c)
				if !ok {
					break
				}
				got = append(got, v)
			}
			t.Send(done, 1)
		})
		for i := range 3 {
			t.Send(c, i)
		}
		t.Close(c)
		which, _, _ := t.Select(false, sim.RecvCase(done))
		t.Assert(which == 0, "which %d", which)
		which, _, _ = t.Select(true, sim.RecvCase(done))
		t.Assert(which == -1, "which %d", which)
	}
	for seed := range uint64(50) {
		r := runSpec(t, p, run.Spec{Strategy: run.Random, Seed: seed})
		if r.Outcome.Kind != trace.Passed || len(got) != 3 || got[0] != 0 || got[1] != 1 || got[2] != 2 {
			t.Fatalf("seed %d: %v %v", seed, r.Outcome, got)
		}
	}
	bad := func(t *sim.Thread) { c := t.Chan(0); t.Close(c); t.Send(c, 1) }
	if r := runSpec(t, bad, run.Spec{}); r.Outcome.Message != "panic: send on closed channel" {
		t.Errorf("%v", r.Outcome)
	}
}

func TestVirtualTimeAndLimit(t *testing.T) {
	r := runSpec(t, func(t *sim.Thread) {
		t.Sleep(time.Hour)
		t.Assert(t.Now() == int64(time.Hour), "now %d", t.Now())
	}, run.Spec{})
	if r.Outcome.Kind != trace.Passed {
		t.Errorf("%v", r.Outcome)
	}
	spin := func(t *sim.Thread) {
		for v := t.Int(); t.Load(v) == 0; {
			t.Yield()
		}
	}
	if r := runSpec(t, spin, run.Spec{Steps: 100}); r.Outcome.Kind != trace.StepLimit || r.Failed() {
		t.Errorf("%v", r.Outcome)
	}
}

// PCT with d-1 change points finds a bug of depth d with a probability of at
// least 1/(n k^(d-1)) (Burckhardt et al., theorem 9).
func TestPCTBound(t *testing.T) {
	const runs = 600
	count := func(p func(*sim.Thread), depth, steps int) (failed int) {
		for seed := range uint64(runs) {
			r := runSpec(t, p, run.Spec{Strategy: run.PCT, Seed: seed, Depth: depth, Length: steps})
			if r.Failed() {
				failed++
			}
		}
		return failed
	}
	// Depth 1, three threads: half of what the bound promises on average.
	if n := count(sim.UseBeforeInit, 0, 20); n < runs/3/2 {
		t.Errorf("depth 1: %d of %d", n, runs)
	}
	if n := count(sim.LockOrder, 0, 20); n != 0 {
		t.Errorf("a deadlock of depth 2 without a change point: %d", n)
	}
	if n := count(sim.LockOrder, 1, 20); n < runs/(3*20)/2 {
		t.Errorf("depth 2: %d of %d", n, runs)
	}
}

// Random walk and POS reach every final value of two conflicting writers.
func TestStrategiesReachAllOrders(t *testing.T) {
	seen := map[int]int{}
	p := func(t *sim.Thread) {
		n, wg := t.Int(), t.WaitGroup(3)
		for i := range 3 {
			t.Go(func(t *sim.Thread) { t.Store(n, i); t.Done(wg) })
		}
		t.Join(wg)
		seen[t.Load(n)]++
	}
	for _, st := range []run.Strategy{run.Random, run.POS} {
		clear(seen)
		for seed := range uint64(300) {
			runSpec(t, p, run.Spec{Strategy: st, Seed: seed})
		}
		for i := range 3 {
			if seen[i] < 20 {
				t.Errorf("%s: last writer %d in %d of 300", st, i, seen[i])
			}
		}
	}
}
