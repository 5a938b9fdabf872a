package hunt

import (
	"context"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/run"
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
	return cause.Find(ctx, c.runner, failing, cause.Options{
		Base: c.base(), Same: c.caught.Same, Passes: c.caught.Passes, Known: known,
		Costs: projection.Distances(c.compared()), Budget: c.share(causeLimit, 3)})
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
