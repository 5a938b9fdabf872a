package kinds

// classDocs are classes that are no kinds: what is wrong with the order.
func classDocs() []Doc {
	return []Doc{{
		ID: "atomicity-violation", Class: true,
		Title: "others came between two accesses that belong together",
		Text: `A goroutine checks something and then acts on it, or reads, computes and writes
back. Each access is synchronised on its own, but another goroutine comes in
between, and what was checked or read does not hold any more. There need be no
data race: a mutex that is released between the check and the act protects
neither, and the race detector is silent.`,
		Before: `package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) Add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

func (a *account) Withdraw(n int) {
	if a.Balance() >= n {
		a.Add(-n) // the balance may be another one by now
	}
}

func main() {
	a := &account{balance: 10}
	var wg sync.WaitGroup
	wg.Go(func() { a.Withdraw(8) })
	wg.Go(func() { a.Withdraw(7) })
	wg.Wait()
	if a.balance < 0 {
		panic("overdrawn")
	}
}
`,
		After: `package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

// Withdraw checks and takes in one lock region.
func (a *account) Withdraw(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance >= n {
		a.balance -= n
	}
}

func main() {
	a := &account{balance: 10}
	var wg sync.WaitGroup
	wg.Go(func() { a.Withdraw(8) })
	wg.Go(func() { a.Withdraw(7) })
	wg.Wait()
	if a.balance < 0 {
		panic("overdrawn")
	}
}
`,
		Fix: `One lock region around both accesses. For a single word, one atomic operation that
does both (Add, CompareAndSwap, Swap); for a sync.Map, LoadOrStore or
CompareAndSwap. Offer the whole step as one method, so that callers can't take it
apart.`,
	}, {
		ID: "order-violation", Class: true,
		Title: "something was used before it was ready, or after it was gone",
		Text: `One goroutine has to come first, and nothing makes it: a value is used before the
goroutine that sets it has run, a resource is closed while someone still works with
it, a result is read before it is complete. Usually the right order happens by
itself, since starting a goroutine or a sleep takes some time.`,
		Before: `package main

import "sync/atomic"

type config struct{ name string }

func main() {
	var current atomic.Pointer[config]
	go func() {
		current.Store(&config{name: "prod"})
	}()
	println(current.Load().name) // nil, if nothing was stored yet
}
`,
		After: `package main

import "sync/atomic"

type config struct{ name string }

func main() {
	var current atomic.Pointer[config]
	ready := make(chan struct{})
	go func() {
		current.Store(&config{name: "prod"})
		close(ready)
	}()
	<-ready
	println(current.Load().name)
}
`,
		Fix: `Wait for it: receive from a channel that is closed when it is ready, use a
WaitGroup, sync.Once or sync.OnceValue, or do the first step before starting the
goroutine. On the way down, stop and wait for those who use something, then close
it. A sleep is no order.`,
	}, {
		ID: "missed-signal", Class: true,
		Title: "a signal came before anyone waited, or woke the wrong one",
		Text: `A sync.Cond remembers nothing: a Signal or Broadcast that comes when nobody waits
is lost, and who waits afterwards waits for ever. The same happens with a send in a
select with default, when the receiver is not there yet; and a Signal may wake one
that can't use it, while the one that could sleeps on.`,
		Before: `package main

import "sync"

func main() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		cond.Signal() // lost, if main does not wait yet
	}()
	mu.Lock()
	cond.Wait()
	mu.Unlock()
}
`,
		After: `package main

import "sync"

func main() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready := false // guarded by mu
	go func() {
		mu.Lock()
		defer mu.Unlock()
		ready = true
		cond.Signal()
	}()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
}
`,
		Fix: `Test the condition in a loop, under the lock that guards it, and change it under the
same lock before signalling. Where those who wait want different things, use
Broadcast or a condition each. For "it has happened", a channel that is closed
can't be missed; for "there is something", a channel with room for one.`,
	}, {
		ID: "channel-misuse", Class: true,
		Title: "a channel closed twice, or sent on after the close",
		Text: `Sending on a closed channel panics, and so does closing it again. Under this
schedule one goroutine closes while another still means to send, or two of them
close. Where the code asks first whether it is closed, the answer is old by the time
of the close or send, and the class is atomicity-violation.`,
		Before: `package main

import "sync"

func main() {
	events := make(chan string, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		events <- "started"
	})
	close(events) // perhaps before it was sent
	wg.Wait()
	for e := range events {
		println(e)
	}
}
`,
		After: `package main

import "sync"

func main() {
	events := make(chan string, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		events <- "started"
	})
	wg.Wait()
	close(events)
	for e := range events {
		println(e)
	}
}
`,
		Fix: `Let one owner close, once: the only sender, or a sync.Once. With several senders,
close after a WaitGroup has seen them all end, or don't close at all and tell them
to stop by a second channel or a context. Receivers never close.`,
	}, {
		ID: "other", Class: true,
		Title: "none of the other classes fits",
		Text: `The accesses of the root cause decide between failing and passing, but they don't
form one of the known patterns. The explanation shows them all the same.`,
		Fix: `Read the explanation's table: the first row in which the failing and the passing run
differ is where another order must be made impossible.`,
	}}
}
