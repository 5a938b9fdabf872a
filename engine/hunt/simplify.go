package hunt

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/reduce/fewest"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// fewestShare is the part of the time for simplification in which the schedule
// is computed. What is left is for simplifying it by replays.
const fewestShare = 3

// simplify makes the failing schedule short. A computed schedule with few
// preemptions comes first, since it saves most of the replays; where possible,
// it is proved that no schedule of the program fails in this way with fewer.
// The rest is done by replaying: fewer and earlier switches, no seeds.
func (c *confirmation) simplify(ctx context.Context) (*reduce.Simplified, error) {
	if c.caught.Result.Schedule.Memory != trace.SC {
		return c.simplifyWeak(ctx)
	}
	start := time.Now()
	budget := c.share(simplifyBudget, 3)
	best := c.fewest(ctx, c.caught.Result, budget/fewestShare)
	opt := reduce.Options{Base: c.base(), Budget: max(budget-time.Since(start), budget/2), Passes: c.caught.Passes}
	if best.Proved {
		opt.Fewest = best.Counts.Preemptions
	}
	simple, err := reduce.Simplify(ctx, c.runner, best.Run, c.caught.Same, opt)
	if err == nil {
		c.shortened.runs += simple.Replays
	}
	if err != nil || simple.Minimal || simple.After.Preemptions >= best.Counts.Preemptions {
		return simple, err
	}
	// Replays found fewer than were computed: a proof may be possible for that
	// number.
	again := c.fewest(ctx, simple.Result, budget/fewestShare/2)
	simple.Minimal = again.Proved && again.Counts.Preemptions == simple.After.Preemptions
	return simple, nil
}

// simplifyWeak is simplify for a run under a weaker memory model, of which nothing can be
// computed.
func (c *confirmation) simplifyWeak(ctx context.Context) (*reduce.Simplified, error) {
	simple, err := reduce.Simplify(ctx, c.runner, c.caught.Result, c.caught.Same, reduce.Options{Base: c.base(), Budget: c.share(simplifyBudget, 3), Passes: c.caught.Passes})
	if err != nil {
		return nil, err
	}
	c.shortened.runs += simple.Replays
	spec := c.base()
	spec.Strategy, spec.Schedule = run.Replay, simple.Schedule
	spec.Schedule.Memory = trace.SC
	r, err := c.runner.Run(ctx, spec)
	if err != nil {
		return nil, err
	}
	if c.caught.Same(r) { // it needs no buffers: it fails in all memory models
		simple.Result, simple.Schedule = r, r.Schedule
	}
	return simple, nil
}

func (c *confirmation) fewest(ctx context.Context, r *run.Result, budget time.Duration) *fewest.Best {
	best := fewest.Of(ctx, c.runner, r, c.caught.Same, fewest.Options{Base: c.base(), Budget: budget, Places: c.caught.Places()})
	c.shortened.runs += best.Runs
	c.shortened.solves += best.Solves
	return best
}

// effort is what it took to make a schedule short.
type effort struct{ runs, solves int }
