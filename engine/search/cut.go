package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
)

// leastCut is how many steps a run may make at least.
const leastCut = 10_000

// shortest cuts a run off earlier that was cut off and shows something new: after half
// of the steps, as long as goroutines are left that are blocked for ever. The attempt
// and its seeds are the same, so that the shorter run is the beginning of the longer
// one, and its schedule is complete, which that of a very long run is not.
func (c *Campaign) shortest(ctx context.Context, done completed) completed {
	if done.err != nil || !c.ledger.showsNew(done.res) {
		return done
	}
	for steps := done.res.Steps / 2; steps > 0; steps /= 2 {
		spec := done.spec
		spec.Schedule.Steps = steps
		r, err := c.runner.Run(ctx, spec)
		if err != nil || !r.Outcome.Cut || len(beyond(run.BlockedPlaces(r), c.ledger.base)) == 0 {
			break
		}
		done.spec, done.res = spec, r
	}
	return done
}
