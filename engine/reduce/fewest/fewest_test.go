package fewest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/reduce/fewest"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/trace"
)

var ctx = context.Background()

func sameAs(r *run.Result) func(*run.Result) bool {
	want := run.SignatureOf(r)
	return func(r *run.Result) bool { return r.Failed() && run.SignatureOf(r) == want }
}

// places are those of a deadlock or leak.
func places(r *run.Result) (all []string) {
	for p := range run.BlockedPlaces(r) {
		all = append(all, p)
	}
	return all
}

// every runs all schedules of a program and gives, by signature, the fewest
// preemptions, and a failing run with the most; nil if there are more than limit.
func every(t *testing.T, p *minigo.Program, limit int) (least map[run.Signature]int, most map[run.Signature]*run.Result) {
	least, most = map[run.Signature]int{}, map[run.Signature]*run.Result{}
	var taken, of []int
	at := 0
	pick := func(n int) int {
		if at == len(taken) {
			taken, of = append(taken, 0), append(of, n)
		}
		at++
		return taken[at-1]
	}
	r := &minigo.Runner{Program: p, Decide: &sim.Decider{Next: func(r []uint64) int { return pick(len(r)) }, Select: pick}}
	for n := 0; ; n++ {
		if n == limit {
			return nil, nil
		}
		at = 0
		res, err := r.Run(ctx, run.Spec{Schedule: trace.Schedule{Hot: p.Hot()}})
		if err != nil {
			t.Fatal(err)
		}
		if c := run.CountsOf(res).Preemptions; res.Failed() {
			s := run.SignatureOf(res)
			if old, known := least[s]; !known || c < old {
				least[s] = c
			}
			if old := most[s]; old == nil || c > run.CountsOf(old).Preemptions {
				most[s] = res
			}
		}
		last := len(taken) - 1
		for last >= 0 && taken[last]+1 == of[last] {
			last--
		}
		if last < 0 {
			return least, most
		}
		taken, of = taken[:last+1], of[:last+1]
		taken[last]++
	}
}

// TestProvedIsTheLeastOfAll compares with all schedules of random programs.
func TestProvedIsTheLeastOfAll(t *testing.T) {
	proved, needed, reached, whys := 0, 0, 0, map[string]int{}
	total, free := 0, 0
	for seed := uint64(0); total-free < 8 && !t.Failed(); seed++ {
		p := minigo.Generate(rand.New(rand.NewPCG(seed, 11)), minigo.Size{Threads: 2, Steps: 3, Racy: true})
		least, most := every(t, p, 1000)
		for sig, failed := range most {
			if run.CountsOf(failed).Preemptions == 0 || least[sig] == 0 && free == 20 {
				continue
			}
			if total++; least[sig] == 0 {
				free++
			}
			failing := failed
			b := fewest.Of(ctx, &minigo.Runner{Program: p}, failing, sameAs(failing), fewest.Options{Runs: 200, Places: places(failing)})
			if got := run.CountsOf(b.Run); got != b.Counts || !sameAs(failing)(b.Run) {
				t.Errorf("seed %d: %+v told, %+v counted", seed, b.Counts, got)
			}
			want := least[sig]
			if b.Counts.Preemptions < want || b.Proved && b.Counts.Preemptions > want {
				t.Errorf("seed %d: %v: %d preemptions (proved %v), want %d\n%v", seed, sig, b.Counts.Preemptions, b.Proved, want, p)
			}
			if b.Counts.Preemptions == want {
				reached++
			}
			if b.Proved {
				proved++
				if want > 0 {
					needed++
				}
			} else {
				whys[string(sig.Kind)+": "+b.Why]++
			}
		}
	}
	t.Logf("%d failures: fewest reached %d, proved %d, of those %d need preemptions; not proved: %v", total, reached, proved, needed, whys)
	if proved < total/2 || needed < 1 {
		t.Errorf("too few are proved")
	}
}

// preempted is a failing run with at least so many preemptions.
func preempted(t *testing.T, runner run.Runner, least int) *run.Result {
	t.Helper()
	for seed := range uint64(3000) {
		r, err := runner.Run(ctx, run.Spec{Strategy: run.Random, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if r.Failed() && run.CountsOf(r).Preemptions >= least {
			return r
		}
	}
	t.Fatal("no failing run")
	return nil
}

// TestKnownPrograms: each has a bug of a known number of preemptions.
func TestKnownPrograms(t *testing.T) {
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		want    int
	}{
		"lost update":     {sim.LostUpdate(2, 1), 1},
		"lost update, 4":  {sim.LostUpdate(4, 2), 1},
		"use before init": {sim.UseBeforeInit, 0},
		"lock order":      {sim.LockOrder, 1},
		"lost signal":     {sim.LostSignal, 1},
	} {
		t.Run(name, func(t *testing.T) {
			runner := sim.New(tc.program)
			failing := preempted(t, runner, tc.want+1)
			before := time.Now()
			b := fewest.Of(ctx, runner, failing, sameAs(failing), fewest.Options{})
			t.Logf("%+v -> %+v, proved %v (%s) after %d runs, %v", run.CountsOf(failing), b.Counts, b.Proved, b.Why, b.Runs, time.Since(before))
			if b.Counts.Preemptions != tc.want || !b.Proved {
				t.Errorf("%d preemptions, proved %v (%s), want %d", b.Counts.Preemptions, b.Proved, b.Why, tc.want)
			}
		})
	}
}

// TestNotProved: what the model does not hold is said, and the best is kept.
func TestNotProved(t *testing.T) {
	yielding := func(t *sim.Thread) {
		n, wg := t.Int(), t.WaitGroup(2)
		for range 2 {
			t.Go(func(t *sim.Thread) {
				x := t.Load(n)
				t.Yield()
				t.Store(n, x+1)
				t.Done(wg)
			})
		}
		t.Join(wg)
		t.Assert(t.Load(n) == 2, "lost")
	}
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		opt     fewest.Options
	}{
		"yields":  {yielding, fewest.Options{}},
		"one run": {sim.LostUpdate(2, 1), fewest.Options{Runs: 1}},
		"no time": {sim.LostUpdate(2, 1), fewest.Options{Budget: time.Nanosecond}},
	} {
		t.Run(name, func(t *testing.T) {
			runner := sim.New(tc.program)
			failing := preempted(t, runner, 2)
			b := fewest.Of(ctx, runner, failing, sameAs(failing), tc.opt)
			if b.Counts.Preemptions > 0 && (b.Proved || b.Why == "") || !sameAs(failing)(b.Run) {
				t.Errorf("%+v, proved %v (%s)", b.Counts, b.Proved, b.Why)
			}
		})
	}
}

type runnerFunc func(context.Context, run.Spec) (*run.Result, error)

func (f runnerFunc) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	return f(ctx, spec)
}

// The reason why the failing run can't be made again is reported unchanged.
func TestWhyTheRunIsNotMade(t *testing.T) {
	failing := &run.Result{
		Schedule: trace.Schedule{Segments: []trace.Segment{{G: 1, Until: 3}, {G: 2, Until: 4}}},
		Ends:     []run.EndReason{run.Preempted, run.Ended},
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for want, c := range map[string]struct {
		ctx context.Context
		res *run.Result
		err error
	}{
		"the time ended": {ctx: ended, err: context.Canceled},
		"a run could not be made: the disk is full": {ctx: ctx, err: errors.New("the disk is full")},
		"the runs are not recorded":                 {ctx: ctx, res: &run.Result{}},
	} {
		given := runnerFunc(func(context.Context, run.Spec) (*run.Result, error) { return c.res, c.err })
		b := fewest.Of(c.ctx, given, failing, func(*run.Result) bool { return true }, fewest.Options{})
		if b.Proved || b.Why != want || b.Run != failing {
			t.Errorf("proved %v, %q, want %q", b.Proved, b.Why, want)
		}
	}
}
