package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const (
	idle int32 = iota
	starting
	running
	stopping
	stopped
)

type machine struct {
	state atomic.Int32
	jobs  atomic.Int32
}

func (m *machine) start() {
	if m.state.Load() != idle {
		return
	}
	if m.state.Swap(starting) == starting {
		panic("fsm: started twice")
	}
	m.jobs.Add(1)
	if m.state.Swap(running) == stopped {
		panic("fsm: runs after stop")
	}
}

func (m *machine) stop() {
	switch m.state.Load() {
	case running, starting:
		if m.state.Swap(stopping) == idle {
			panic("fsm: stopped before start")
		}
		if m.jobs.Add(-1) < 0 {
			panic("fsm: negative jobs")
		}
		if m.state.Swap(stopped) == running {
			panic("fsm: start during stop")
		}
	}
}

func main() {
	m := &machine{}
	var wg sync.WaitGroup
	wg.Go(m.start)
	wg.Go(m.start)
	wg.Go(m.stop)
	wg.Go(m.stop)
	wg.Wait()
	fmt.Println(m.state.Load(), m.jobs.Load())
}
