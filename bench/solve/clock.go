package main

import (
	"context"
	"syscall"
	"time"
)

// processorTime is what this process has used up to now, with its collector.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// processorTimeout ends a context after so much processor time, or, for who
// waits without working, ten times as long.
func processorTimeout(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*limit)
	start := processorTime()
	go func() {
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				if processorTime()-start > limit {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}
