package server

import (
	"context"
	"sync/atomic"
	"time"
)

// An edit waits for the next one this long before what is shown is made again,
// but never longer than atMost.
const (
	quiet  = 40 * time.Millisecond
	atMost = 100 * time.Millisecond
)

// settler waits for a pause in typing.
type settler struct {
	bell  *bell
	edits atomic.Int64 // so that one can stop what the one before started
}

func newSettler() *settler { return &settler{bell: newBell()} }

// edited counts an edit.
func (t *settler) edited() {
	t.edits.Add(1)
	t.bell.ring()
}

// settle waits until the user pauses.
func (t *settler) settle(ctx context.Context) {
	end := time.Now().Add(atMost)
	for n := t.edits.Load(); ; {
		pause(ctx, min(quiet, time.Until(end)))
		now := t.edits.Load()
		if now == n || !time.Now().Before(end) || ctx.Err() != nil {
			return
		}
		n = now
	}
}
