package breakpoints_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
)

type account struct {
	mu      sync.Mutex
	balance int
}

var crossing = breakpoints.Deadlock("transfer")

// transfer locks the accounts in the order of its arguments.
func transfer(side int, from, to *account) {
	from.mu.Lock()
	defer from.mu.Unlock()
	crossing.Here(side, &from.mu, &to.mu)
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance--
	to.balance++
}

// Two transfers in opposite directions wait for each other for ever.
func ExampleDeadlock() {
	defer breakpoints.Enable("transfer")()
	var a, b account
	done := make(chan bool, 2)
	go func() { transfer(1, &a, &b); done <- true }()
	go func() { transfer(2, &b, &a); done <- true }()
	select {
	case <-done:
		fmt.Println("done")
	case <-time.After(100 * time.Millisecond):
		fmt.Println("deadlock")
	}
	// Output: deadlock
}

// mailbox wakes whoever waits; nobody hears it who does not wait yet.
type mailbox struct {
	mu    sync.Mutex
	mail  bool
	alarm chan bool
}

var missed = breakpoints.MissedNotify("mailbox")

func (m *mailbox) put() {
	missed.Here(1, m)
	m.mu.Lock()
	m.mail = true
	m.mu.Unlock()
	select {
	case m.alarm <- true:
	default: // nobody waits
	}
	missed.Did(1)
}

func (m *mailbox) wait() bool {
	m.mu.Lock()
	there := m.mail
	m.mu.Unlock()
	if there {
		return true
	}
	missed.Here(2, m) // has seen no mail, and is going to wait
	select {
	case <-m.alarm:
		return true
	case <-time.After(50 * time.Millisecond):
		return false
	}
}

// The mail comes between the look and the wait.
func ExampleMissedNotify() {
	defer breakpoints.Enable("mailbox")()
	m := &mailbox{alarm: make(chan bool)}
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println("woken:", m.wait()) })
	wg.Go(m.put)
	wg.Wait()
	// Output: woken: false
}

var setUp = breakpoints.Order("use before set-up")

// The user is held until the configuration has been replaced, a thing that
// otherwise happens once in a while.
func ExampleOrder() {
	defer breakpoints.Enable("use before set-up")()
	var mu sync.Mutex
	limit := 10
	var wg sync.WaitGroup
	wg.Go(func() {
		setUp.Here(2)
		mu.Lock()
		defer mu.Unlock()
		fmt.Println("limit", limit)
	})
	wg.Go(func() {
		time.Sleep(5 * time.Millisecond)
		setUp.Here(1)
		mu.Lock()
		limit = 0
		mu.Unlock()
		setUp.Did(1)
	})
	wg.Wait()
	// Output: limit 0
}

var trio = breakpoints.New("three readers", breakpoints.Sides(3), breakpoints.InOrder(3, 1, 2),
	breakpoints.When(func(v [][]any) bool { return v[0][0] == v[1][0] && v[1][0] == v[2][0] }))

// A breakpoint of three sides with a predicate and an order of its own.
func ExampleNew() {
	defer breakpoints.Enable("three readers")()
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for side := 1; side <= 3; side++ {
		wg.Go(func() {
			trio.Here(side, &order)
			mu.Lock()
			order = append(order, side)
			mu.Unlock()
			trio.Did(side)
		})
	}
	wg.Wait()
	fmt.Println(order)
	// Output: [3 1 2]
}
