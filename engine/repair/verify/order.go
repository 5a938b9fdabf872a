package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// orderRuns is how often the finding's order is played on the ordinary build of a fix.
const orderRuns = 20

// ordered plays the order that makes the ordinary build fail on the fix, where it was
// confirmed in that way: no run may fail. That much of the order is impossible with the
// fix is what one expects, and is told.
func (c *check) ordered(ctx context.Context) (string, error) {
	if c.Fail == nil || c.Finding.Confirmed != report.Native || c.Finding.NeedsNoOrder || c.inCopies() {
		return "", nil
	}
	rep, err := native.Confirm(ctx, native.Request{Target: build.Target(c.Env, c.with.target(c.Target), c.with.flags), Trace: c.moved(c.Fail), Runs: orderRuns, Baseline: 2})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || rep == nil || rep.Runs == 0 {
		why := "no run was made"
		if err != nil {
			why = words.OneLine(err.Error())
		}
		if errors.Is(err, native.ErrNoFailure) {
			why = "the failure is not one of an ordinary run"
		}
		c.fix.Order = "the finding's order was not played on the ordinary build: " + why
		return "", nil
	}
	if rep.Failed > 0 {
		return fmt.Sprintf("with the finding's order the ordinary build still fails in %d of %d runs", rep.Failed, rep.Runs), nil
	}
	c.fix.Order = fmt.Sprintf("with the finding's order the ordinary build passed in %d of %d runs; all of the order was possible in %d", rep.Runs-rep.Other, rep.Runs, rep.Played)
	return "", nil
}

// inCopies reports whether the edit is of a dependency, which is built from a copy.
func (c *check) inCopies() bool {
	for name := range c.files {
		if c.cached(name) != "" {
			return true
		}
	}
	return false
}

// moved is a trace as the edited texts would have it: lines that the edit left as they
// were are where they are now, others where what stands in their place begins.
func (c *check) moved(t *trace.Trace) *trace.Trace {
	m := *t
	m.Stacks = make([][]trace.Frame, len(t.Stacks))
	for i, stack := range t.Stacks {
		m.Stacks[i] = slices.Clone(stack)
		for j := range stack {
			f := &m.Stacks[i][j]
			if hs := c.hunks[f.File]; len(hs) > 0 {
				if to := carried(hs, f.Line); len(to) > 0 {
					f.Line = to[0]
				}
			}
		}
	}
	return &m
}
