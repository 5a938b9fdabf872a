package hunt

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
)

// earlierRuns is how often an earlier failure is replayed.
const earlierRuns = 5

// earlier replays what was found before, and returns what still fails; the
// search tries that first, so that a bug that is still there is found at once.
// The replays take at most a tenth of the time that is left.
func (p *pipeline) earlier(ctx context.Context) []run.Spec {
	ctx, cancel := context.WithTimeout(ctx, time.Until(p.deadline())/10)
	defer cancel()
	var still []run.Spec
	for _, e := range p.job.Earlier {
		spec := run.Spec{Strategy: run.Replay, Schedule: e.Schedule}
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
