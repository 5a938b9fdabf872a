package cause

import (
	"context"
	"math/rand/v2"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Counted is what runs without an order came to.
type Counted struct {
	Made   int // all runs, those that had the order after all among them
	Runs   int // without it
	Failed int // of Runs, in the same way
	Orders int // different ones among Runs
}

// triesFor is how many runs are made at most for each that has to be without the order.
const triesFor = 4

// Otherwise counts what happens when Before does not come before After: first the two
// come the other way round and all else as it was, then all else is random. Runs in which
// the order holds after all are not counted. The order is one of two events of failing,
// or of one and its failure; of others nothing is counted. failing is recorded in full. If ctx ends,
// what was counted is returned.
func Otherwise(ctx context.Context, runner run.Runner, failing *run.Result, l Literal, runs int, opt Options) (Counted, error) {
	c := &Cause{t: failing.Trace, end: FailureIn(failing.Trace), signer: newSigner(failing.Trace, Counts), all: []Literal{l}}
	f := &finder{Cause: c, opt: opt, failing: failing, inverted: map[Literal]bool{}, walk: newWalk(c.t, c.end), rng: rand.New(rand.NewPCG(opt.Seed, 0x6f74))}
	f.Core = []Literal{l}
	var out Counted
	if l.Late || l.Before == None {
		return out, nil
	}
	seen := map[uint64]bool{}
	specs := f.inversions(c.all)
	for out.Runs < runs && out.Made < triesFor*runs {
		for len(specs) < min(run.Workers(0), runs-out.Runs) {
			specs = append(specs, f.turned(l))
		}
		results, err := run.RunEach(ctx, runner, specs)
		if ctx.Err() != nil {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for _, r := range results {
			out.Made++
			if r.Trace == nil || out.Runs == runs {
				continue
			}
			same := opt.Same(r)
			o, _ := c.observation(r.Trace)
			if o.same = same; l.compare(o) == held {
				continue
			}
			out.Runs++
			if same {
				out.Failed++
			}
			if !seen[r.Hash] {
				seen[r.Hash] = true
				out.Orders++
			}
		}
		specs = specs[:0]
	}
	return out, nil
}

// turned is a run in which the order comes the other way round, as far as a schedule
// decides that, and all else is random.
func (f *finder) turned(l Literal) run.Spec {
	s := f.opt.Base
	s.Record, s.Strategy, s.Seed, s.Schedule = run.Full, run.Replay, f.rng.Uint64(), f.failing.Schedule
	gates := f.walk.births
	if l.After < len(f.t.Events) { // else it is the failure, which nothing can wait for
		gates = f.walk.gates([]Literal{{Before: l.After, After: l.Before}}, nil)
	}
	s.Schedule.Segments = f.walk.order(gates, f.rng)
	s.Schedule.Delay = 0
	s.Schedule.SelectSeed = f.rng.Uint64() % 8
	s.Schedule.Choices = []trace.Choice{}
	return s
}
