package native

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/trace"
)

func (req *Request) runs() int     { return cmp.Or(req.Runs, 100) }
func (req *Request) parallel() int { return cmp.Or(req.Parallel, 2) }

// sideBySide makes runs 0 to n-1, so many in parallel, and passes each result
// to count, one at a time. After the first error, or the end of ctx, no more
// runs are started, and those that are running are not counted.
func sideBySide(ctx context.Context, n, parallel int, run func(context.Context, int) (*attempt, error), count func(int, *attempt)) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	jobs := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(parallel, n) {
		wg.Go(func() {
			for i := range jobs {
				r, err := run(ctx, i)
				mu.Lock()
				switch {
				case ctx.Err() != nil:
				case err != nil:
					end(err)
				default:
					count(i, r)
				}
				mu.Unlock()
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case jobs <- i:
		case <-ctx.Done():
		}
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}

func (rep *Report) count(r *attempt, j *judge, plan *Plan) {
	rep.Runs++
	rep.times = append(rep.times, r.took)
	for _, id := range r.report.Arrived {
		rep.Arrived[id]++
	}
	switch why, _, _ := strings.Cut(r.report.Broken, " "); {
	case r.report.Played:
		rep.Played++
	case why == "stuck":
		rep.Stuck++
	case why == "timeout":
		rep.TimedOut++
	}
	switch {
	case j.same(r) && !j.spoilt(r):
		rep.Failed++
		rep.Output = r.printed()
		if plan != nil && !r.report.Played {
			rep.Unplayed++
		}
		return
	case r.exit != 0:
		rep.Other++
		if plan == nil || r.report.Played {
			rep.OtherPlayed, rep.OtherOutput = rep.OtherPlayed+1, r.printed()
		}
	}
	rep.Sample = r.printed()
	rep.Why = r.describe()
	if why := plan.why(r.report); why != "" {
		rep.Broken = why
	}
}

// spoilt reports whether a run may have failed because the plan held somebody until its
// time-out: a correct test whose own time-outs are shorter fails then.
func (j *judge) spoilt(r *attempt) bool {
	return strings.HasPrefix(r.report.Broken, "timeout ") && (j.Kind == string(trace.TestFailed) || j.Kind == string(trace.ExitCode))
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
