package kinds

// kindDocs are kinds that are no classes: how the program failed.
func kindDocs() []Doc {
	return []Doc{{
		ID: "panic", Kind: true,
		Title: "a panic that nobody recovered, runtime errors included",
		Text: `Under the schedule that was found, a goroutine panics and the program ends: an
index out of range, a nil pointer, a failed type assertion, a send on a closed
channel, or a panic of your own. Under other schedules of the same program it
does not: the state that the code relied on was changed by another goroutine, or
was not there yet.

The place of the panic is where the damage shows. The root cause, the accesses
whose order makes the difference, is often somewhere else.`,
		Before: `package main

import "sync"

type pool struct {
	mu   sync.Mutex
	free []string
}

func (p *pool) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.free) == 0
}

func (p *pool) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	conn := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return conn
}

func main() {
	p := &pool{free: []string{"conn"}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if !p.empty() {
				p.take() // someone else may have taken the last one
			}
		})
	}
	wg.Wait()
}
`,
		After: `package main

import "sync"

type pool struct {
	mu   sync.Mutex
	free []string
}

// take reports whether there was one.
func (p *pool) take() (conn string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return "", false
	}
	conn = p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return conn, true
}

func main() {
	p := &pool{free: []string{"conn"}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			p.take()
		})
	}
	wg.Wait()
}
`,
		Fix: `Make the order of the root cause impossible, not the panic. A recover, or a
second check before the line that panics, leaves the bug in place. The class of
the finding says which remedy fits: what belongs together goes into one lock
region; what must come first is waited for.`,
	}, {
		ID: "test-failure", Kind: true,
		Title: "a call of t.Error, t.Fatal or the like",
		Text: `The test fails under this schedule and passes under others. That is what is
known as a flaky test; here the order of events that decides is known, so that it
fails each time it is replayed.

The fault may be in the code under test, or in the test, if it asserts an order
that nothing guarantees.`,
		Before: `package hits

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestHits(t *testing.T) {
	var hits atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			n := hits.Load()
			hits.Store(n + 1) // forgets what came after the Load
		})
	}
	wg.Wait()
	if n := hits.Load(); n != 2 {
		t.Errorf("%d hits, want 2", n)
	}
}
`,
		After: `package hits

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestHits(t *testing.T) {
	var hits atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			hits.Add(1)
		})
	}
	wg.Wait()
	if n := hits.Load(); n != 2 {
		t.Errorf("%d hits, want 2", n)
	}
}
`,
		Fix: `Fix the order that the root cause shows, in the code or in the test. A test that
waits for something should wait for the event itself (a channel, a WaitGroup, a
callback, testing/synctest), never for a time in which it usually happens. Running
it again until it passes hides a bug that users will meet.`,
	}, {
		ID: "livelock", Kind: true,
		Title: "goroutines go round in loops, and nothing changes what they wait for",
		Text: `Every goroutine that can run polls something again and again, and everybody who
could change it has ended or is blocked: no timer is pending, and the program
waits for nothing outside. Tests run into their time-out, services use a whole
processor and answer nothing.

It is told only if the ordinary build, with the order that was found, was still
running after ten seconds: a loop may give up by itself.`,
		Before: `package main

import (
	"runtime"
	"sync/atomic"
)

func main() {
	var done atomic.Int32
	for range 2 {
		go func() {
			n := done.Load()
			done.Store(n + 1) // may forget the other one
		}()
	}
	for done.Load() != 2 {
		runtime.Gosched()
	}
}
`,
		After: `package main

import (
	"runtime"
	"sync/atomic"
)

func main() {
	var done atomic.Int32
	for range 2 {
		go func() {
			done.Add(1)
		}()
	}
	for done.Load() != 2 {
		runtime.Gosched()
	}
}
`,
		Fix: `Make sure that what the loop waits for comes in every order; the root cause says
which order loses it. Better, wait on a channel, a WaitGroup or a Cond: the runtime
then tells a deadlock, and no processor is used up.`,
	}, {
		ID: "leak", Kind: true,
		Title: "goroutines that can never go on when the program ends, beyond those that passing schedules leave too",
		Text: `When the test or main returns, a goroutine is blocked for ever: it waits on a
channel, lock or condition that no goroutine which can still run will ever touch.
The program goes on, but the goroutine, its stack and all that it refers to stay
until the process ends. In a server, one such goroutine per request is an outage.

Goroutines that every schedule of a test leaves behind, such as a worker that is never
meant to end, are not reported. Of a program they are, as what fails always, unless they
only wait for more work. A program that goes on for longer than a run may is cut off:
what is proved to be blocked for ever by then counts as well.`,
		Before: `package main

import (
	"context"
	"sync"
)

func ask(ctx context.Context) int {
	answer := make(chan int)
	go func() {
		answer <- 42 // nobody receives after the context has ended
	}()
	select {
	case n := <-answer:
		return n
	case <-ctx.Done():
		return 0
	}
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(cancel)
	ask(ctx)
	wg.Wait()
}
`,
		After: `package main

import (
	"context"
	"sync"
)

func ask(ctx context.Context) int {
	answer := make(chan int, 1) // has room for an answer that nobody wants
	go func() {
		answer <- 42
	}()
	select {
	case n := <-answer:
		return n
	case <-ctx.Done():
		return 0
	}
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(cancel)
	ask(ctx)
	wg.Wait()
}
`,
		Fix: `Give each goroutine a way to end that does not depend on someone still listening.
A send whose receiver may give up goes to a buffered channel, or into a select
with the context's Done. A receive loop ends when the one sender closes the
channel. Whoever starts a goroutine should be able to say who ends it.`,
	}, {
		ID: "fatal", Kind: true,
		Title: "a fatal error of the runtime, or an exit with another code than 0",
		Text: `The program is ended by the runtime in a way that can't be recovered (concurrent
map writes, unlock of an unlocked mutex), or it ends itself with a code other
than 0 (os.Exit, log.Fatal), under this schedule and not under others.`,
		Before: `package main

import (
	"sync"
	"sync/atomic"
)

// gate is locked until someone opens it.
type gate struct {
	mu   sync.Mutex
	open atomic.Bool
}

func (g *gate) Open() {
	if !g.open.Load() {
		g.open.Store(true)
		g.mu.Unlock() // twice, if both saw that it was not open
	}
}

func main() {
	g := &gate{}
	g.mu.Lock()
	var wg sync.WaitGroup
	wg.Go(g.Open)
	wg.Go(g.Open)
	wg.Wait()
}
`,
		After: `package main

import (
	"sync"
	"sync/atomic"
)

// gate is locked until someone opens it.
type gate struct {
	mu   sync.Mutex
	open atomic.Bool
}

func (g *gate) Open() {
	if g.open.CompareAndSwap(false, true) {
		g.mu.Unlock()
	}
}

func main() {
	g := &gate{}
	g.mu.Lock()
	var wg sync.WaitGroup
	wg.Go(g.Open)
	wg.Go(g.Open)
	wg.Wait()
}
`,
		Fix: `Find who shares the map, the lock or the decision to exit, and give it one owner
or one lock. A map that several goroutines write needs a mutex around every
access, reads included. A lock is unlocked by who locked it, in the same function,
with defer where possible.`,
	}}
}
