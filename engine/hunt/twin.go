package hunt

import (
	"context"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
)

// twin reads the sources of the target when a strategy asks for them; nil if that is
// not possible.
func (p *pipeline) twin() func(context.Context) (run.Twin, error) {
	m, ok := p.Stages.(ladder.Modeller)
	if !ok {
		return nil
	}
	return func(ctx context.Context) (run.Twin, error) {
		p.working(p, progress.Modelling, p.job)
		t, err := m.Twin(ctx, p.job.Target, p.job.Flags)
		p.inModel.Store(err == nil)
		if err == nil {
			p.working(p, progress.Rehearsing, p.job)
		} else {
			p.working(p, progress.Searching, p.job)
		}
		return t, err
	}
}

// recordings makes runs along the recorded ones of the target, when a strategy asks for
// them; nil if there are none.
func (p *pipeline) recordings() func(context.Context) []*run.Result {
	if p.job.Recordings == nil {
		return nil
	}
	return func(ctx context.Context) []*run.Result {
		p.working(p, progress.Following, p.job)
		defer p.working(p, progress.Searching, p.job)
		return p.job.Recordings(ctx, p.runner)
	}
}

// origin tells in the answer where the attempt that caught a failure came from.
func (c *confirmation) origin(s *report.Spent) {
	o := c.from
	if o == nil {
		return
	}
	s.Started, s.FromDatabase, s.Synthesized, s.Flips = o.Started, o.Recorded, o.Plays, len(o.Flipped)
	for _, b := range o.Flipped {
		s.Flipped = append(s.Flipped, report.Flip{File: c.job.Roots.Name(b.At.File), Line: b.At.Line, Cond: b.Cond, Outcome: b.Taken})
	}
}

// modelled is the share of shared events that a model of the program has, too.
func modelled(f search.Foresight) float64 {
	if f.Shared == 0 {
		return 0
	}
	return float64(f.Modelled) / float64(f.Shared)
}
