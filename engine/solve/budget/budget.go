// Package budget bounds the work of a search: by steps, whose number does not depend
// on how fast the machine is, and by a context.
//
// A search spends a step wherever it does an amount of work that it may not repeat
// without bound: an order tried, a state visited, a conflict. So equal searches end
// equally on every machine as long as no clock or cancellation ends them first.
package budget

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
)

// ErrSpent is the error of a budget that has too few steps.
var ErrSpent = errors.New("too many steps")

// Budget is what a search may spend. Several goroutines may use one; what they spend
// together is bounded, but who gets the last steps depends on their timing.
type Budget struct {
	ctx context.Context
	*steps
}

type steps struct {
	limit int64
	used  atomic.Int64
	short atomic.Bool // more was asked for than was left
}

// New makes a budget of some steps, to be spent before ctx ends.
func New(ctx context.Context, n int64) *Budget { return &Budget{ctx, &steps{limit: n}} }

// Unlimited makes a budget that only ctx ends.
func Unlimited(ctx context.Context) *Budget { return New(ctx, math.MaxInt64) }

// With is the same budget, whose steps are shared, until another context ends.
func (b *Budget) With(ctx context.Context) *Budget { return &Budget{ctx, b.steps} }

// Context is the one that ends the budget. It does not end with the steps.
func (b *Budget) Context() context.Context { return b.ctx }

// Spend takes n steps. It is false if there are not so many left, from then on, and
// once the context has ended; nothing is taken then. Spend(0) asks only.
func (b *Budget) Spend(n int64) bool {
	if b.Err() != nil {
		return false
	}
	if used := b.used.Add(n); used > b.limit {
		b.used.Add(-n)
		b.short.Store(true)
		return false
	}
	return true
}

// Err says why nothing can be spent any more: the context's error or ErrSpent. It
// is nil as long as no Spend was refused.
func (b *Budget) Err() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.short.Load() {
		return ErrSpent
	}
	return nil
}

// Why is Err in a few words for people.
func (b *Budget) Why() string {
	switch err := b.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return "time is up"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case err != nil:
		return err.Error()
	}
	return ""
}

// Used is how many steps were taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Spent is true if the steps were too few for what was to be done.
func (b *Budget) Spent() bool { return b.short.Load() }
