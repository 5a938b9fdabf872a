package hunt

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/hocket-dev/hocket/engine/run"
)

// counter counts the processes of a target, and how many of their runs differ.
// Each takes a slot; a narrow one has one at a time.
type counter struct {
	run.Runner
	slots  slots
	own    slots // of the narrow
	narrow atomic.Bool
	mu     sync.Mutex
	runs   int
	hashes map[uint64]bool
}

func newCounter(r run.Runner, s slots) *counter {
	return &counter{Runner: r, slots: s, own: newSlots(1), hashes: map[uint64]bool{}}
}

func (c *counter) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if c.narrow.Load() {
		done, ok := c.own.take(ctx)
		if !ok {
			return nil, ctx.Err()
		}
		defer done()
	}
	done, ok := c.slots.take(ctx)
	if !ok {
		return nil, ctx.Err()
	}
	defer done()
	r, err := c.Runner.Run(ctx, spec)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	if r != nil {
		c.hashes[r.Hash] = true
	}
	return r, err
}

// Pause implements run.Pauser, if the counted runner does.
func (c *counter) Pause(ctx context.Context, spec run.Spec, g uint64, count uint32, f func(context.Context, int) error) error {
	p, ok := c.Runner.(run.Pauser)
	if !ok {
		return errors.New("runs of this program can't stand still")
	}
	done, ok := c.slots.take(ctx)
	if !ok {
		return ctx.Err()
	}
	defer done()
	c.mu.Lock()
	c.runs++
	c.mu.Unlock()
	return p.Pause(ctx, spec, g, count, f)
}

func (c *counter) counts() (runs, distinct int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs, len(c.hashes)
}
