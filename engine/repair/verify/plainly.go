package verify

import (
	"context"
	"slices"
	"time"
)

// Bounds of plain runs. They are made in pairs, one with the fix and one without it: what
// else the machine does slows both. So many must pass; more only tell whether the fix
// slows the program down.
const (
	plainRuns  = 3
	timedPairs = 10
	timedTime  = 10 * time.Second // for those that only tell
	slowdown   = 1.2              // as a factor, that is told
)

// pair are the times of a plain run with the fix and of one without it, side by side.
type pair struct{ with, without time.Duration }

// passes runs the ordinary build. Without the fix it may fail, or hang: then there is
// nothing to compare times with.
func (c *check) passes(ctx context.Context) (string, error) {
	var pairs []pair
	limit := c.patience(ctx)
	comparable, start := true, time.Now()
	for i := 0; i < plainRuns || i < timedPairs && comparable && alwaysSlower(pairs) && time.Since(start) < timedTime; i++ {
		with, err := c.with.plain(ctx, c.Target, limit)
		if err != nil {
			return "", err
		}
		if with.failed {
			return "it fails plainly: " + with.why(), nil
		}
		if !comparable {
			continue
		}
		without, err := c.Verifier.before.plain(ctx, c.Target, 2*with.took+time.Second)
		if err != nil {
			return "", err
		}
		comparable = !without.failed
		pairs = append(pairs, pair{with.took, without.took})
	}
	if comparable {
		c.fix.Before, c.fix.After = slower(pairs)
	}
	return "", nil
}

// slower are the medians of both times, in milliseconds, if the fix slows the program down
// beyond noise: by more than a little, and in each of so many pairs that chance does not
// do it. Else both are 0.
func slower(pairs []pair) (before, after float64) {
	if len(pairs) < timedPairs || !alwaysSlower(pairs) {
		return 0, 0
	}
	before = medianOf(pairs, func(p pair) time.Duration { return p.without })
	after = medianOf(pairs, func(p pair) time.Duration { return p.with })
	if after < slowdown*before {
		return 0, 0
	}
	return before, after
}

func alwaysSlower(pairs []pair) bool {
	return !slices.ContainsFunc(pairs, func(p pair) bool { return p.with <= p.without })
}

// medianOf is the median of one of the times, in milliseconds.
func medianOf(pairs []pair, of func(pair) time.Duration) float64 {
	var all []time.Duration
	for _, p := range pairs {
		all = append(all, of(p))
	}
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}
