package worker

import (
	"sync"
	"testing"
)

type worker struct {
	jobs chan int
	stop chan chan int
	idle chan bool
	done int
}

func (w *worker) run() {
	for {
		select {
		case j := <-w.jobs:
			w.done += j
			if j == 2 {
				w.idle <- true
			}
		case back := <-w.stop:
			back <- w.done
			return
		}
	}
}

func (w *worker) submit(j int) { w.jobs <- j }

func (w *worker) halt() int {
	back := make(chan int)
	w.stop <- back
	return <-back
}

func (w *worker) wait() bool { return <-w.idle }

func TestStop(t *testing.T) {
	w := &worker{jobs: make(chan int), stop: make(chan chan int), idle: make(chan bool)}
	go w.run()
	var wg sync.WaitGroup
	wg.Go(func() { w.submit(1) })
	wg.Go(func() { w.submit(2) })
	wg.Go(func() { w.wait() })
	wg.Go(func() { w.halt() })
	wg.Wait()
}
