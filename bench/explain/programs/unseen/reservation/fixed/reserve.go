// Package reservation hands out seats.
package reservation

import (
	"context"
	"sync"
)

// Office has a number of seats.
type Office struct {
	mu       sync.Mutex
	free     int
	requests chan chan int
	desk     sync.WaitGroup
}

// Open opens an office with n seats.
func Open(n int) *Office {
	o := &Office{free: n, requests: make(chan chan int)}
	o.desk.Go(o.serve)
	return o
}

func (o *Office) add(n int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.free += n
	return o.free
}

func (o *Office) serve() {
	for answer := range o.requests {
		o.grant(answer)
	}
}

func (o *Office) grant(answer chan<- int) {
	answer <- o.add(-1) + 1
}

// Reserve takes a seat.
func (o *Office) Reserve(ctx context.Context) (seat int, err error) {
	answer := make(chan int, 1)
	o.requests <- answer
	select {
	case seat = <-answer:
		return seat, nil
	case <-ctx.Done():
		<-answer
		o.Release()
		return 0, ctx.Err()
	}
}

// Release gives a seat back.
func (o *Office) Release() { o.add(1) }

// Close closes the desk and returns how many seats are free.
func (o *Office) Close() int {
	close(o.requests)
	o.desk.Wait()
	return o.add(0)
}
