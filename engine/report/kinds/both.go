package kinds

// bothDocs are kinds that are classes as well.
func bothDocs() []Doc {
	return []Doc{{
		ID: "deadlock", Kind: true, Class: true,
		Title: "each waits for what another holds, and nothing can go on",
		Text: `As a kind: main, or the test, has not returned, and no goroutine can go on. Each
waits for a lock, a channel, a WaitGroup or a condition that only another waiting
one could serve. The finding lists who waits where, for what, and who holds it.
The Go runtime reports some of these ("all goroutines are asleep"), but not while
any other goroutine, timer or connection is alive; hocket reports those too.

As a class: the order of taking is what is wrong, most often two locks that are
taken in opposite orders, or a send or receive while holding a lock that the other
side needs.`,
		Before: `package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

func transfer(from, to *account, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock() // held by a transfer the other way round
	defer to.mu.Unlock()
	from.balance -= n
	to.balance += n
}

func main() {
	a, b := &account{balance: 10}, &account{balance: 10}
	var wg sync.WaitGroup
	wg.Go(func() { transfer(a, b, 1) })
	wg.Go(func() { transfer(b, a, 2) })
	wg.Wait()
}
`,
		After: `package main

import "sync"

type account struct {
	id      int
	mu      sync.Mutex
	balance int
}

// transfer locks the account with the lower id first.
func transfer(from, to *account, n int) {
	first, second := from, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	from.balance -= n
	to.balance += n
}

func main() {
	a, b := &account{id: 1, balance: 10}, &account{id: 2, balance: 10}
	var wg sync.WaitGroup
	wg.Go(func() { transfer(a, b, 1) })
	wg.Go(func() { transfer(b, a, 2) })
	wg.Wait()
}
`,
		Fix: `Take locks in one order everywhere, and hold none while sending, receiving or
calling code that you don't know. Where two locks must be held, order them by
something fixed, such as an id. Where one lock covers both, use that one. Copy
what is needed under the lock, unlock, then send.`,
	}, {
		ID: "data-race", Kind: true, Class: true,
		Title: "two accesses, one of them a write, with no order between them by Go's memory model",
		Text: `Two goroutines access the same memory, at least one of them writes, and no lock,
channel operation, atomic or other synchronisation orders the two. By Go's memory
model that is an error in itself: the compiler and the processor may reorder, split
or drop such accesses, so that "it is only a counter" and "it is only a bool" don't
hold. The race was proved on an execution by the order of its synchronisation: it
is no guess from the source.

As a class it says that the missing synchronisation is the cause of another
failure, such as a wrong sum.`,
		Before: `package main

import (
	"fmt"
	"sync"
)

func main() {
	total := 0
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			total += i
		})
	}
	wg.Wait()
	fmt.Println(total)
}
`,
		After: `package main

import (
	"fmt"
	"sync"
)

func main() {
	var mu sync.Mutex
	total := 0 // guarded by mu until wg.Wait has returned
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			total += i
		})
	}
	wg.Wait()
	fmt.Println(total)
}
`,
		Fix: `Put both accesses under the same lock, make the variable an atomic, or hand the
data over through a channel so that one goroutine at a time owns it. Reads need
the lock as well as writes. If several fields change together, one lock around
all of them: atomics on each field leave an atomicity violation.`,
	}}
}
