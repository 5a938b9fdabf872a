package hunt

import (
	"context"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// why looks for the orders that suffice for the failure.
func (c *confirmation) why(ctx context.Context, failing *run.Result) (*cause.Cause, error) {
	if failing.Schedule.Memory != trace.SC {
		return nil, nil // orders of operations don't say when stores are seen
	}
	known := c.passes
	if c.pass != nil {
		known = append([]*trace.Trace{c.pass}, known...)
	}
	found, err := cause.Find(ctx, c.runner, failing, cause.Options{
		Base: c.base(), Same: c.caught.Same, Passes: c.caught.Passes, Known: known,
		Costs: projection.Distances(c.compared()), Budget: c.share(causeLimit, 3)})
	if err == nil && found.Provable() {
		found.Proved = c.prove(ctx, failing, found)
	}
	return found, err
}

// prove says what shows that every schedule that keeps the orders of a core fails, "" if
// that is not proved. What the failing run has that no exploration knows, a delay, time or
// input that decides, leaves it open.
func (c *confirmation) prove(ctx context.Context, failing *run.Result, found *cause.Cause) string {
	o := search.Orders{Occurrences: found.Occurrences, N: len(found.Core), Blind: run.BlindOf(c.runner.Runner)}
	switch failing.Outcome.Kind {
	case trace.Panicked, trace.FatalError, trace.Deadlocked:
	case trace.TestFailed:
		var ok bool
		if o.Failed, ok = found.FailedTest(); !ok {
			return ""
		}
	default:
		return ""
	}
	if c.caught.Delayed() || failing.Inputs > 0 || failing.ReadClock {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, c.share(causeLimit, 3))
	defer cancel()
	if ok, why := search.Suffices(ctx, c.runner, c.pipeline.base(), o); ok {
		return why
	}
	return ""
}

// compared is the failing run with the passing ones.
func (c *confirmation) compared() projection.Input {
	return projection.Input{Fail: c.fail, Pass: c.pass, Passes: c.passes, Roots: c.job.Roots,
		Files: source.NewFiles(c.job.Sources().Read)}
}

// coreEdges are the orders of the core that a plan for the ordinary build can keep.
func (c *confirmation) coreEdges() (edges []ladder.Edge) {
	if !c.core.Explains() {
		return nil
	}
	for _, l := range c.core.Core {
		if l.Before != cause.None && !l.Late && l.After < len(c.fail.Events) {
			edges = append(edges, ladder.Edge{Before: l.Before, After: l.After})
		}
	}
	return edges
}

// lateSteps are those of its orders that are about what the failing run had not come to.
func (c *confirmation) lateSteps() (late []ladder.Late) {
	if !c.core.Explains() {
		return nil
	}
	for _, l := range c.core.Core {
		if l.Late {
			late = append(late, ladder.Late{Before: l.Before, Pass: c.core.Late, At: l.After})
		}
	}
	return late
}
