package breakpoints

import (
	"runtime"
	"time"
	_ "unsafe" // for linkname
)

// nanotime is the real time in nanoseconds, also in a testing/synctest bubble,
// whose own clock stands still as long as anybody in it can run.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// ms is a nanotime's millisecond.
const ms = int64(time.Millisecond)

//go:norace
func word(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// sleeper is how one goroutine waits until it is woken, or for a while.
//
// In a testing/synctest bubble it only yields: a timer of the bubble would not
// fire before everybody else there is blocked, and what wakes it may come from
// outside. So a pause takes none of the bubble's time.
//
// Under the race detector it polls: package time has state of its own, and
// timers run in a context of theirs, where what this package does with the
// detector (see raceOff) leads to reports about the state, and to crashes.
type sleeper struct {
	woken  chan struct{} // has room for one; nil in a bubble
	timer  *time.Timer
	bubble bool
}

//go:norace
func newSleeper(inBubble bool) sleeper {
	if inBubble {
		return sleeper{bubble: true}
	}
	return sleeper{woken: make(chan struct{}, 1)}
}

// nap returns when woken, or after d ns; perhaps earlier.
//
//go:norace
func (s *sleeper) nap(d int64) {
	switch {
	case s.bubble || d <= 0:
		runtime.Gosched()
	case raceBuild:
		time.Sleep(time.Duration(min(d, max(pollEvery, 20_000*int64(waiters.n)), dumpEvery)))
	case s.timer == nil:
		s.timer = time.NewTimer(time.Duration(d))
		s.wait()
	default:
		s.timer.Reset(time.Duration(d))
		s.wait()
	}
}

//go:norace
func (s *sleeper) wait() {
	select {
	case <-s.woken:
	case <-s.timer.C:
	}
}

// wake is called by others.
//
//go:norace
func (s *sleeper) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

//go:norace
func (s *sleeper) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}
