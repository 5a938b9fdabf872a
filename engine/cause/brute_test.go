package cause_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/trace"
)

var programs = flag.Int("programs", 12, "random programs to compare with all of their runs")

// every makes all runs of a program; nil if there are more than limit.
func every(t *testing.T, limit int, runner func(*sim.Decider) run.Runner, base run.Spec) (all []*run.Result) {
	t.Helper()
	var taken, of []int
	at := 0
	pick := func(n int) int {
		if at == len(taken) {
			taken, of = append(taken, 0), append(of, n)
		}
		at++
		return taken[at-1]
	}
	r := runner(&sim.Decider{Next: func(r []uint64) int { return pick(len(r)) }, Select: pick})
	base.Record = run.Full
	for range limit {
		at = 0
		res, err := r.Run(context.Background(), base)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, res)
		last := len(taken) - 1
		for last >= 0 && taken[last]+1 == of[last] {
			last--
		}
		if last < 0 {
			return all
		}
		taken, of = taken[:last+1], of[:last+1]
		taken[last]++
	}
	return nil
}

// TestAgainstAllRuns compares causes of random programs with all of their runs: in
// each that breaks no order of a settled core the program fails, and for each order
// some run passes that breaks it alone.
func TestAgainstAllRuns(t *testing.T) {
	programs := *programs
	settled, insufficient, needless, unsettled := 0, 0, 0, map[string]int{}
	literals := 0
	failing := 0
	for seed := uint64(0); failing < programs; seed++ {
		rng := rand.New(rand.NewPCG(seed, 12))
		p := minigo.Generate(rng, minigo.Size{Threads: 2, Steps: 3, Racy: true})
		if b := minigo.Enumerate(p, 150); b == nil || len(b.Failures) == 0 {
			continue // too large to make all runs of, or right
		}
		all := every(t, 600, func(d *sim.Decider) run.Runner { return &minigo.Runner{Program: p, Decide: d} }, run.Spec{Schedule: trace.Schedule{Hot: p.Hot()}})
		var fails *run.Result
		passes := 0
		for _, r := range all {
			if r.Failed() && (fails == nil || rng.IntN(3) == 0) {
				fails = r
			}
			if r.Outcome.Kind == trace.Passed {
				passes++
			}
		}
		if fails == nil || passes == 0 {
			continue
		}
		failing++
		sig := run.SignatureOf(fails)
		same := func(r *run.Result) bool { return r.Failed() && run.SignatureOf(r) == sig }
		passed := func(r *run.Result) bool { return r.Outcome.Kind == trace.Passed }
		c, err := cause.Find(context.Background(), &minigo.Runner{Program: p}, fails, cause.Options{Same: same, Passes: passed, Seed: seed,
			Base: run.Spec{Schedule: trace.Schedule{Hot: p.Hot()}}})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Settled() {
			unsettled[c.Why]++
			continue
		}
		settled++
		literals += len(c.Core)
		alone := make([]bool, len(c.Core))
		broken := 0
		for _, r := range all {
			if !passed(r) {
				continue
			}
			b := c.Broken(r.Trace)
			if len(b) == 0 {
				broken++
			}
			if len(b) == 1 {
				alone[b[0]] = true
			}
		}
		if broken > 0 {
			insufficient++
			if insufficient <= 3 {
				t.Logf("seed %d: %v: %d of %d passing runs break none of %v (held %d)\n%v", seed, sig, broken, passes, c.Core, c.Held, p)
			}
		}
		for i := range alone {
			if !alone[i] {
				needless++
				if needless <= 3 {
					t.Logf("seed %d: %v: no run breaks %v alone of %v", seed, sig, c.Core[i], c.Core)
				}
				break
			}
		}
	}
	if insufficient > max(1, settled/20) || needless > 0 {
		t.Errorf("too many causes are wrong")
	}
	t.Logf("%d failing programs: settled %d (%d orders), of those not sufficient %d, with a needless order %d; not settled %v", failing, settled, literals, insufficient, needless, unsettled)
}
