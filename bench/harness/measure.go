package harness

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/session"
)

// RunCost is what controlled runs of one target cost.
type RunCost struct {
	Median    time.Duration // of one run, nothing else running
	PerMinute float64       // with a run on each processor
	Tried     int
}

// MeasureRuns runs the one target that the options select opt.Schedules times
// one after another, then as often on all processors, each time under another
// random schedule.
func MeasureRuns(ctx context.Context, opt session.Options) (*RunCost, error) {
	p, err := OpenProgram(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return costOf(ctx, p.runner, max(opt.Schedules, 1))
}

func costOf(ctx context.Context, runner run.Runner, n int) (*RunCost, error) {
	spec := func(i int) run.Spec { return run.Spec{Strategy: run.POS, Seed: uint64(i)} }
	var times []time.Duration
	for i := range n {
		r, err := runner.Run(ctx, spec(i))
		if err != nil {
			return nil, err
		}
		times = append(times, r.Duration)
	}
	slices.Sort(times)

	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	failed := make([]error, workers)
	start := time.Now()
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && failed[w] == nil; i += workers {
				_, failed[w] = runner.Run(ctx, spec(i))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return &RunCost{Median: times[n/2], PerMinute: float64(n) / time.Since(start).Minutes(), Tried: n}, nil
}
