package recordings

import (
	"context"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Kept is how far the best of a few controlled runs kept to a recorded one.
type Kept struct {
	Runs    int
	Of      int  // operations of the program's own statements that a controlled run has, too
	Matched int  // those of them that it did, in each goroutine in the recorded order
	Same    bool // it ended as the recorded one
}

// All reports whether it did the same, and ended in the same way.
func (k *Kept) All() bool { return k.Same && k.Matched == k.Of }

// Control directs controlled runs along a recorded one, whatever its outcome.
func Control(ctx context.Context, p *play.Program, r *record.Run, runner run.Runner) (*Kept, error) {
	steps, _, err := p.Steps(ctx, r)
	if err != nil {
		return nil, err
	}
	d := &director{run: r, steps: steps}
	best := &Kept{Of: d.own()}
	d.lead(ctx, runner, run.Full, func(res *run.Result) bool {
		k := Kept{Of: best.Of, Matched: d.did(res.Trace), Same: d.same(res)}
		if k.All() || k.Matched > best.Matched {
			*best = k
		}
		return k.All()
	})
	best.Runs = d.tried
	return best, ctx.Err()
}

// same reports whether a controlled run ended as the recorded one.
func (d *director) same(res *run.Result) bool {
	if d.run.Outcome == record.Passed || !res.Failed() {
		return d.run.Outcome == record.Passed && !res.Failed()
	}
	return report.SameFailure(string(res.Outcome.Kind), res.Outcome.Message, d.run.Failure)
}

// did is how many of the steps that own counts a controlled run has.
func (d *director) did(t *trace.Trace) (n int) {
	for i, ms := range d.matches(t) {
		for _, m := range ms {
			if d.steps[i][m.step].Direct {
				n++
			}
		}
	}
	return n
}

// own is how many steps are those of statements that a controlled run has operations of.
func (d *director) own() (n int) {
	known := map[record.Kind]bool{}
	for _, k := range kindOf {
		known[k] = true
	}
	for _, steps := range d.steps {
		for _, s := range steps {
			if s.Direct && s.File != "" && known[classOf(s.Kind)] {
				n++
			}
		}
	}
	return n
}
