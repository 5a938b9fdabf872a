package sim

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
)

// Runner runs one program. Safe for concurrent use.
type Runner struct {
	Program func(*Thread)
	// Cost is the real time that a run takes, as a process start does.
	Cost time.Duration
	// Decide, if set, takes the place of the schedules of specs.
	Decide *Decider
	runs   atomic.Int64
}

// New makes a runner without cost.
func New(program func(*Thread)) *Runner { return &Runner{Program: program} }

// Runs says how many runs were started.
func (r *Runner) Runs() int { return int(r.runs.Load()) }

// Run implements run.Runner.
func (r *Runner) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	r.runs.Add(1)
	if r.Cost > 0 {
		timer := time.NewTimer(r.Cost)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := newMachine(spec, r.Decide, r.Program)
	m.run()
	return m.result(), nil
}
