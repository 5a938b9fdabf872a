// Package clap has the programs of CLAP's evaluation that package papers does not have,
// with their bugs fixed, or, where these are the program, with outcomes that pass: small
// stand-ins with as many goroutines.
package clap

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestSimRace: four goroutines count in two variables.
func TestSimRace(t *testing.T) {
	var mu sync.Mutex
	var x, y int
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			x += i
			if x > y {
				y = x
			}
		})
	}
	wg.Wait()
	if x != 6 {
		t.Error(x)
	}
}

// TestAget: goroutines fetch parts; somebody saves what there is at times.
func TestAget(t *testing.T) {
	type part struct{ at, end int }
	var mu sync.Mutex
	written, parts := 0, []*part{{0, 400}, {400, 800}}
	saved := func() (sum, all int) {
		mu.Lock()
		defer mu.Unlock()
		for i, p := range parts {
			sum += p.at - i*400
		}
		return sum, written
	}
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(func() {
			for {
				mu.Lock()
				if p.at >= p.end {
					mu.Unlock()
					return
				}
				n := min(3, p.end-p.at)
				p.at += n
				written += n
				mu.Unlock()
			}
		})
	}
	for range 3 {
		if sum, all := saved(); sum != all {
			t.Error(sum, all)
		}
	}
	wg.Wait()
}

// barrier lets n goroutines go on together.
type barrier struct {
	mu   sync.Mutex
	all  *sync.Cond
	n    int
	came int
	turn int
}

func newBarrier(n int) *barrier {
	b := &barrier{n: n}
	b.all = sync.NewCond(&b.mu)
	return b
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	turn := b.turn
	if b.came++; b.came == b.n {
		b.came = 0
		b.turn++
		b.all.Broadcast()
		return
	}
	for turn == b.turn {
		b.all.Wait()
	}
}

// TestSwarm: two goroutines sort by radix, with a barrier between counting and placing.
func TestSwarm(t *testing.T) {
	const n, workers = 512, 2
	in, out := make([]uint32, n), make([]uint32, n)
	x := uint32(1)
	for i := range in {
		x = x*1664525 + 1013904223
		in[i] = x >> 16
	}
	var counts [workers][256]int
	b := newBarrier(workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			from, to := in, out
			for shift := 0; shift < 16; shift += 8 {
				mine := from[w*n/workers : (w+1)*n/workers]
				clear(counts[w][:])
				for _, v := range mine {
					counts[w][v>>shift&255]++
				}
				b.wait()
				at, sum := [256]int{}, 0
				for d := range at {
					for o := range workers {
						if o == w {
							at[d] = sum
						}
						sum += counts[o][d]
					}
				}
				for _, v := range mine {
					d := v >> shift & 255
					to[at[d]] = v
					at[d]++
				}
				b.wait()
				from, to = to, from
			}
		})
	}
	wg.Wait()
	for i := 1; i < n; i++ {
		if in[i-1] > in[i] {
			t.Fatal("not sorted")
		}
	}
}

// TestApache: workers say that they are idle, a listener takes them (bug 45605, fixed).
func TestApache(t *testing.T) {
	const workers, requests = 26, 4
	var mu sync.Mutex
	idle, served := 0, 0
	some := sync.NewCond(&mu)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range requests {
				mu.Lock()
				idle++
				some.Signal()
				mu.Unlock()
			}
		})
	}
	for range workers * requests {
		mu.Lock()
		for idle == 0 {
			some.Wait()
		}
		idle--
		served++
		mu.Unlock()
	}
	wg.Wait()
	if idle != 0 || served != workers*requests {
		t.Error(idle, served)
	}
}

// TestRacey: two goroutines mix values of one array; which values come out is chance.
func TestRacey(t *testing.T) {
	var m [64]atomic.Uint32
	mix := func(i, j uint32) uint32 { return i<<16 ^ j>>3 + i*31 + j }
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			cur := uint32(w)
			for range 2000 {
				a, b := cur%64, cur>>8%64
				if x, y := m[a].Load(), m[b].Load(); x > y {
					m[a].Store(y)
					m[b].Store(x)
				}
				cur = mix(cur, m[a].Load())
				m[a].Store(cur)
			}
		})
	}
	wg.Wait()
}

// TestBakery: Lamport's bakery for four goroutines, which is right with atomics.
func TestBakery(t *testing.T) {
	const n = 4
	var choosing [n]atomic.Bool
	var number [n]atomic.Int32
	count := 0
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			choosing[i].Store(true)
			most := int32(0)
			for j := range n {
				most = max(most, number[j].Load())
			}
			number[i].Store(most + 1)
			choosing[i].Store(false)
			for j := range n {
				for choosing[j].Load() {
				}
				for k := number[j].Load(); k != 0 && (k < number[i].Load() || k == number[i].Load() && j < i); k = number[j].Load() {
				}
			}
			count++
			number[i].Store(0)
		})
	}
	wg.Wait()
	if count != n {
		t.Error(count)
	}
}

// TestDekker and TestPeterson: two goroutines exclude each other, twice each.
func TestDekker(t *testing.T) {
	var wants [2]atomic.Bool
	var turn atomic.Int32
	exclude(t, func(i int) {
		wants[i].Store(true)
		for wants[1-i].Load() {
			if turn.Load() != int32(i) {
				wants[i].Store(false)
				for turn.Load() != int32(i) {
				}
				wants[i].Store(true)
			}
		}
	}, func(i int) {
		turn.Store(int32(1 - i))
		wants[i].Store(false)
	})
}

func TestPeterson(t *testing.T) {
	var wants [2]atomic.Bool
	var turn atomic.Int32
	exclude(t, func(i int) {
		wants[i].Store(true)
		turn.Store(int32(1 - i))
		for wants[1-i].Load() && turn.Load() == int32(1-i) {
		}
	}, func(i int) { wants[i].Store(false) })
}

func exclude(t *testing.T, enter, leave func(i int)) {
	count := 0
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			for range 2 {
				enter(i)
				count++
				leave(i)
			}
		})
	}
	wg.Wait()
	if count != 4 {
		t.Error(count)
	}
}
