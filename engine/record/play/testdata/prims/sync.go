package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

func mutex() any {
	var mu sync.Mutex
	var o order
	crowd(func(w int) {
		for range rounds {
			mu.Lock()
			o.note(w)
			mu.Unlock()
		}
	})
	return o.h
}

func tryLock() any {
	var mu sync.Mutex
	var rw sync.RWMutex
	var o order
	failed := make([]int, workers)
	crowd(func(w int) {
		for i := range rounds {
			if mu.TryLock() {
				o.note(w)
				mu.Unlock()
			} else {
				failed[w]++
			}
			switch {
			case i%3 == 0 && rw.TryLock():
				rw.Unlock()
			case rw.TryRLock():
				rw.RUnlock()
			default:
				failed[w] += 1000
			}
		}
	})
	o.note(failed)
	return o.h
}

func rwMutex() any {
	var rw sync.RWMutex
	var o order
	n := 0
	seen := make([]order, workers)
	crowd(func(w int) {
		for i := range rounds {
			if i%4 == 0 {
				rw.Lock()
				n++
				o.note(w)
				rw.Unlock()
				continue
			}
			rw.RLock()
			seen[w].note(n)
			rw.RUnlock()
		}
	})
	o.note(seen)
	return o.h
}

func once() any {
	var o order
	ran := make([]int, rounds)
	onces := make([]sync.Once, rounds)
	vals := make([]func() int, rounds)
	for i := range vals {
		vals[i] = sync.OnceValue(func() int { return i })
	}
	crowd(func(w int) {
		for i := range rounds {
			onces[i].Do(func() { ran[i] = w })
			ran[0] += 0 * vals[i]()
		}
	})
	o.note(ran)
	return o.h
}

func waitGroup() any {
	var o order
	var mu sync.Mutex
	for range rounds / 10 {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				mu.Lock()
				o.note(w)
				mu.Unlock()
			})
		}
		done := make(chan bool)
		go func() { wg.Wait(); close(done) }()
		wg.Wait()
		<-done
	}
	return o.h
}

// groupReuse adds to a WaitGroup whose Wait may not have returned.
func groupReuse() any {
	said := make([]order, 2)
	for range rounds {
		var wg, both sync.WaitGroup
		wg.Add(1)
		both.Go(func() {
			defer func() { said[0].note(recover()) }()
			wg.Wait()
		})
		both.Go(func() {
			defer func() { said[1].note(recover()) }()
			wg.Done()
			wg.Add(1)
			wg.Done()
		})
		both.Wait()
	}
	var o order
	o.note(said)
	return o.h
}

func cond() any {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	var o order
	queue, closed := []int{}, false
	var takers sync.WaitGroup
	for w := range workers {
		takers.Go(func() {
			for {
				mu.Lock()
				for len(queue) == 0 && !closed {
					c.Wait()
				}
				if len(queue) == 0 {
					mu.Unlock()
					return
				}
				o.note(w, queue[0])
				queue = queue[1:]
				mu.Unlock()
			}
		})
	}
	crowd(func(w int) {
		for i := range rounds {
			mu.Lock()
			queue = append(queue, w*1000+i)
			mu.Unlock()
			c.Signal()
		}
	})
	mu.Lock()
	closed = true
	mu.Unlock()
	c.Broadcast()
	takers.Wait()
	return o.h
}

func syncMap() any {
	var m sync.Map
	won := make([]int, workers)
	crowd(func(w int) {
		for i := range rounds {
			if _, loaded := m.LoadOrStore(i, w); !loaded {
				won[w] += i
			}
			if i%7 == w {
				m.Delete(i - 3)
			}
			m.CompareAndSwap(i/2, (w+1)%workers, w)
		}
	})
	var o order
	o.note(won)
	m.Range(func(k, v any) bool {
		o.note(k, v)
		return true
	})
	return o.h
}

func pool() any {
	type thing struct{ maker, uses int }
	var o order
	var mu sync.Mutex
	p := sync.Pool{New: func() any { return &thing{} }}
	crowd(func(w int) {
		for i := range rounds {
			t := p.Get().(*thing)
			if t.uses == 0 {
				t.maker = w
			}
			t.uses++
			mu.Lock()
			o.note(w, t.maker, t.uses)
			mu.Unlock()
			if i%50 == 0 && w == 0 {
				runtime.GC()
			}
			p.Put(t)
		}
	})
	return o.h
}

func methods() any {
	var n atomic.Int64
	var last atomic.Pointer[int]
	var flags atomic.Uint32
	var b atomic.Bool
	seen := make([]order, workers)
	crowd(func(w int) {
		for i := range rounds {
			v := n.Add(1)
			seen[w].note(v)
			if v%5 == 0 {
				last.Store(&w)
			}
			if p := last.Load(); p != nil {
				seen[w].note(*p)
			}
			seen[w].note(flags.Or(1<<w), b.Swap(i%2 == 0), n.CompareAndSwap(v, v+10))
		}
	})
	var o order
	o.note(seen)
	return o.h
}

func functions() any {
	var n int64
	var u uint32
	var p uintptr
	seen := make([]order, workers)
	crowd(func(w int) {
		add := atomic.AddInt64
		for range rounds {
			v := add(&n, 3)
			seen[w].note(v, atomic.SwapUint32(&u, uint32(w)), atomic.AddUintptr(&p, 1), atomic.LoadInt64(&n))
			atomic.CompareAndSwapUint32(&u, uint32(w+1)%workers, 7)
		}
	})
	var o order
	o.note(seen, u)
	return o.h
}

func values() any {
	var v atomic.Value
	seen := make([]order, workers)
	crowd(func(w int) {
		for i := range rounds {
			v.Store(w*1000 + i)
			seen[w].note(v.Load(), v.CompareAndSwap((w+1)%workers*1000+i, w))
		}
	})
	var o order
	o.note(seen)
	return o.h
}

func spin() any {
	var turn atomic.Int32
	var o order
	crowd(func(w int) {
		for range 4 { // on a busy machine a turn can take millions of loads
			for turn.Load() != int32(w) {
				runtime.Gosched()
			}
			o.note(w)
			turn.Store(int32(w+1) % workers)
		}
	})
	return o.h
}

func panics() any {
	var mu sync.Mutex
	n := 0
	crowd(func(w int) {
		defer func() { recover() }()
		for i := range rounds {
			func() {
				mu.Lock()
				defer mu.Unlock()
				if n++; n%(50+w) == 0 {
					panic(i)
				}
			}()
		}
	})
	return n
}
