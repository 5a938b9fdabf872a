package hunt

import (
	"context"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
)

// earlierRuns is how often an earlier failure is replayed; enoughEarlier is enough
// if all fail.
const (
	earlierRuns   = 5
	enoughEarlier = 2
)

// earlier replays what was found before, and returns what still fails; the
// search tries that first, so that a bug that is still there is found at once.
// The replays take at most a tenth of the time that is left.
func (p *pipeline) earlier(ctx context.Context) []run.Spec {
	ctx, cancel := context.WithTimeout(ctx, time.Until(p.deadline())/10)
	defer cancel()
	var still []run.Spec
	for _, e := range p.job.Earlier {
		spec := p.base()
		spec.Strategy, spec.Schedule = run.Replay, e.Schedule
		runs, failed := 0, 0
		for range earlierRuns {
			res, err := p.runner.Run(ctx, spec)
			if err != nil {
				break
			}
			runs++
			if run.FailsAs(res, e.Signature) {
				failed++
			}
			if runs == enoughEarlier && failed == runs {
				break
			}
		}
		if failed > 0 {
			still = append(still, spec)
		} else {
			p.missed = append(p.missed, e)
		}
		if runs > 0 {
			p.Sink.Replayed(p.job, e, runs, failed)
		}
	}
	return still
}

// isKnown reports whether an earlier search confirmed a failure, as far as it could,
// on the sources of today.
func (p *pipeline) isKnown(f *search.Finding) bool {
	return slices.ContainsFunc(p.job.Earlier, func(e *Earlier) bool {
		return e.Confirmed && run.SameButLines(e.Signature, f.Signature.String())
	})
}
