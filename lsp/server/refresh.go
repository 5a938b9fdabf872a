package server

import (
	"context"
	"time"
)

// refreshPause is the shortest time between two rounds of refreshing, so that a
// job that reports often does not make editors ask for their lenses all the time.
const refreshPause = 50 * time.Millisecond

// Refresh makes every feature look again at what it shows. It returns at once
// and may be called from anywhere, as often as anything changes.
func (s *Server) Refresh() { s.refreshing.ring() }

// startRefreshing calls the features' refresh whenever the bell was rung. The
// function that it returns waits for the end of it.
func (s *Server) startRefreshing() (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !s.untilReady(s.ctx) {
			return
		}
		for s.refreshing.wait(s.ctx) {
			s.each(func(f *feature) {
				if f.refresh != nil {
					f.refresh(s.ctx, s.view())
				}
			})
			pause(s.ctx, refreshPause)
		}
	}()
	return func() { <-done }
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// bell wakes one waiter. Rung several times before it is heard, it counts once.
type bell struct{ c chan struct{} }

func newBell() *bell { return &bell{c: make(chan struct{}, 1)} }

func (b *bell) ring() {
	select {
	case b.c <- struct{}{}:
	default:
	}
}

// wait is false when ctx has ended.
func (b *bell) wait(ctx context.Context) bool {
	select {
	case <-b.c:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
