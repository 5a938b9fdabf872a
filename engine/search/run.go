package search

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
)

// Grace is the time that findings may take to be replayed after the budget
// has ended.
const Grace = time.Second

// Run searches one target until its plan is spent, something is found, the
// budget (0 = none) ends or ctx is cancelled.
func Run(ctx context.Context, runner run.Runner, budget time.Duration, opt Options, report func(Progress)) *Outcome {
	c := New(runner, opt)
	limited, cancel := withBudget(ctx, budget)
	defer cancel()
	c.Step(limited, Slice{}, report)
	return c.Finish(ctx, Grace)
}

// withBudget ends a context after a time; 0 is no limit.
func withBudget(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	if budget <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, budget)
}
