package retrace

import (
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// wander makes random attempts where no order can be computed: the program is too large,
// or the runs don't show what is missing. Every second one follows the run that kept to
// the most until the first goroutine of that left its path.
type wander struct {
	r    *Recorded
	mix  search.Strategy
	best *Attempt
	n    int
}

func newWander(r *Recorded) *wander { return &wander{r: r, mix: search.NewMix(r.seed)} }

func (w *wander) next(ctx context.Context, _ int) run.Spec {
	w.n++
	spec, _ := w.mix.Next(ctx, w.n) // its first attempt would be without preemptions
	w.r.Prepare(&spec)
	if w.n%2 == 0 && w.best != nil {
		s := w.best.Result.Schedule
		spec.Schedule.Segments, spec.Schedule.Hot, spec.Schedule.ClockStep = beginning(s, w.best.first), s.Hot, s.ClockStep
		spec.Schedule.Choices, spec.Schedule.SelectSeed = s.Choices, s.SelectSeed
	}
	return spec
}

func (w *wander) observe(spec run.Spec, a *Attempt) {
	w.mix.Observe(spec, a.Result)
	if w.best == nil || a.Kept > w.best.Kept {
		w.best = a
	}
}

// beginning are the segments of a schedule before that in which a branch was taken.
func beginning(s trace.Schedule, at *run.Taken) []trace.Segment {
	if at == nil {
		return nil
	}
	i := slices.IndexFunc(s.Segments, func(g trace.Segment) bool { return g.G == at.G && !g.Timer && g.Until >= at.Count })
	return slices.Clone(s.Segments[:max(i, 0)])
}
