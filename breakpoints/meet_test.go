package breakpoints

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// on makes an enabled breakpoint for one test.
func on(t testing.TB, opts ...Option) *Breakpoint {
	t.Helper()
	b := New(t.Name(), opts...)
	restore := Enable(t.Name())
	t.Cleanup(restore)
	return b
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// runAll runs functions at once and fails if they don't end.
func runAll(t fataler, fs ...func()) time.Duration {
	t.Helper()
	start := time.Now()
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	done := make(chan bool)
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		buf := make([]byte, 1<<20)
		t.Fatalf("a pause does not end:\n%s", buf[:runtime.Stack(buf, true)])
	}
	return time.Since(start)
}

// events is a list that goroutines append to.
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) add(s string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, s)
}

// procs runs a test on all processors and on one.
func procs(t *testing.T, f func(t *testing.T)) {
	for _, n := range []int{runtime.NumCPU(), 1} {
		t.Run(fmt.Sprintf("procs=%d", n), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			f(t)
		})
	}
}

// Whoever comes first, the order decides.
func TestHitInOrder(t *testing.T) {
	procs(t, func(t *testing.T) {
		for i := range 40 {
			order := []int{1 + i%2, 2 - i%2}
			b := on(t, InOrder(order...), Timeout(10*time.Second), WaitDid())
			var e events
			side := func(s int, late bool) func() {
				return func() {
					if late {
						time.Sleep(2 * time.Millisecond)
					}
					if !b.Here(s) {
						t.Errorf("side %d: no hit", s)
					}
					e.add(fmt.Sprint(s))
					b.Did(s)
				}
			}
			runAll(t, side(1, i/2%2 == 0), side(2, i/2%2 == 1))
			if want := strings.Fields(strings.Trim(fmt.Sprint(order), "[]")); !slices.Equal(e.list, want) {
				t.Fatalf("order %v, want %v", e.list, want)
			}
			if s := b.Stat(); s.Hit != 1 || s.TimedOut[0]+s.TimedOut[1] != 0 {
				t.Fatalf("stat %+v", s)
			}
		}
	})
}

// The next side waits for Did where that is promised, and for a blocked or
// ended goroutine no longer than until that shows.
func TestNextInstruction(t *testing.T) {
	for _, how := range []string{"did", "blocked", "ended"} {
		t.Run(how, func(t *testing.T) {
			b := on(t, WaitDid(), Timeout(5*time.Second))
			var done atomic.Bool
			c := make(chan int)
			d := runAll(t, func() {
				b.Here(1)
				time.Sleep(30 * time.Millisecond)
				done.Store(true)
				switch how {
				case "did":
					b.Did(1)
					time.Sleep(20 * time.Millisecond)
				case "blocked":
					<-c
				}
			}, func() {
				b.Here(2)
				if !done.Load() {
					t.Error("side 2 went on before side 1 was done")
				}
				close(c)
			})
			if d > 3*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestOneGoroutineIsNoPair(t *testing.T) {
	b := on(t, Timeout(20*time.Millisecond))
	var visit func(depth int) bool
	visit = func(depth int) bool { // also by recursion, and in a deferred call
		hit := b.Here(1+depth%2) || depth > 0 && visit(depth-1)
		defer func() { hit = b.Here(1) || hit }()
		return hit
	}
	runAll(t, func() {
		if visit(5) {
			t.Error("one goroutine was at both sides")
		}
	})
	if s := b.Stat(); s.Hit != 0 || s.Reached[0] == 0 || s.Reached[1] == 0 {
		t.Errorf("stat %+v", s)
	}
}

// Same pointer, or no hit; and of many waiting, the right one.
func TestJointPredicate(t *testing.T) {
	x := make([]int, 20)
	b := Race(t.Name(), Timeout(10*time.Second))
	defer Enable(t.Name())()
	fs := []func(){}
	for i := range x {
		for side := 1; side <= 2; side++ {
			fs = append(fs, func() {
				if !b.Here(side, &x[i]) {
					t.Errorf("side %d of %d: no hit", side, i)
				}
			})
		}
	}
	runAll(t, fs...)
	if s := b.Stat(); s.Hit != len(x) {
		t.Errorf("stat %+v", s)
	}
}

func TestTimeouts(t *testing.T) {
	b := on(t, Timeout(0), SideTimeout(2, 30*time.Millisecond))
	start := time.Now()
	b.Here(1)
	if d := time.Since(start); d > 20*time.Millisecond {
		t.Errorf("side 1 without a time-out paused for %v", d)
	}
	stop := keepRunning()
	defer stop()
	start = time.Now()
	b.Here(2)
	if d := time.Since(start); d < 30*time.Millisecond || d > time.Second {
		t.Errorf("side 2 paused for %v, want 30ms", d)
	}
	if s := b.Stat(); s.TimedOut[1] != 1 || s.Postponed[0] != 0 {
		t.Errorf("stat %+v", s)
	}
	// Without a pause of its own, side 1 still meets who is waiting.
	c := make(chan bool)
	b = on(t, Timeout(0), SideTimeout(2, 10*time.Second))
	go func() { c <- b.Here(2) }()
	for b.Stat().Postponed[1] == 0 {
		time.Sleep(time.Millisecond)
	}
	if !b.Here(1) || !<-c {
		t.Error("no hit")
	}
}

// keepRunning keeps the process from being at rest.
func keepRunning() func() {
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	return func() { close(stop) }
}

func TestIgnoreAndAtMost(t *testing.T) {
	b := on(t, IgnoreFirst(2), AtMost(3), Timeout(10*time.Second))
	hits := 0
	for range 8 {
		var n atomic.Int32
		side := func(s int) func() {
			return func() {
				if b.Here(s) {
					n.Add(1)
				}
			}
		}
		runAll(t, side(1), side(2))
		hits += int(n.Load()) / 2
	}
	if s := b.Stat(); hits != 3 || s.Hit != 3 {
		t.Errorf("hits %d, stat %+v; want 3", hits, s)
	}
}

// Those who can't be hit any more are let go at once.
func TestLastHitReleases(t *testing.T) {
	b := on(t, AtMost(1), Timeout(20*time.Second))
	fs := []func(){func() {
		for b.Stat().Postponed[0] < 10 {
			time.Sleep(time.Millisecond)
		}
		b.Here(2)
	}}
	for range 10 {
		fs = append(fs, func() { b.Here(1) })
	}
	if d := runAll(t, fs...); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestOneWay(t *testing.T) {
	for _, firstComes := range []bool{true, false} {
		b := Order(t.Name(), Timeout(10*time.Second))
		restore := Enable(t.Name())
		var e events
		runAll(t, func() {
			if !firstComes {
				time.Sleep(20 * time.Millisecond)
			}
			b.Here(1)
			e.add("1")
		}, func() {
			if firstComes {
				time.Sleep(20 * time.Millisecond)
			}
			b.Here(2)
			e.add("2")
		})
		if !slices.Equal(e.list, []string{"1", "2"}) || b.Stat().Hit != 1 {
			t.Errorf("first comes %v: %v, %+v", firstComes, e.list, b.Stat())
		}
		if b.Stat().Postponed[0] != 0 {
			t.Errorf("the first side paused")
		}
		restore()
	}
}

// The first side of a one-way order is remembered by what it passed.
func TestOneWayByValue(t *testing.T) {
	b := Order(t.Name(), When(sameObject), Timeout(50*time.Millisecond))
	defer Enable(t.Name())()
	stop := keepRunning()
	defer stop()
	var x [3]int
	runAll(t, func() { b.Here(1, &x[0]); b.Here(1, &x[1]) })
	runAll(t, func() {
		if !b.Here(2, &x[0]) || !b.Here(2, &x[1]) || b.Here(2, &x[2]) {
			t.Error("want hits for the passed two only")
		}
	})
	if s := b.Stat(); s.Hit != 2 || s.TimedOut[1] != 1 {
		t.Errorf("stat %+v", s)
	}
}

func TestThousandAtOneSide(t *testing.T) {
	b := on(t, Timeout(200*time.Millisecond))
	stop := keepRunning()
	defer stop()
	fs := make([]func(), 1000)
	for i := range fs {
		fs[i] = func() { b.Here(1) }
	}
	if d := runAll(t, fs...); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
	s := b.Stat()
	if s.Postponed[0] != s.TimedOut[0]+s.Released[0] || s.Postponed[0] < manyVisits {
		t.Errorf("stat %+v", s)
	}
	if waiters.first != nil || b.sides[1].first != nil || b.sides[1].budget.inside != 0 {
		t.Error("somebody is left in the room")
	}
}

// A goroutine just released comes again, and again: each visit is one of its own.
func TestAgainAndAgain(t *testing.T) {
	b := on(t, Timeout(time.Second))
	var hits [2]int
	loop := func(side int) func() {
		return func() {
			for range 100 {
				if b.Here(side) {
					hits[side-1]++
				}
				b.Did(side)
			}
		}
	}
	d := runAll(t, loop(1), loop(2))
	if s := b.Stat(); s.Hit != hits[0] || hits[0] != hits[1] || s.Hit < freeHits {
		t.Errorf("hits %v, stat %+v, %v", hits, s, d)
	}
}

// Random programs: every pause ends, every hit is of different goroutines, one
// at each side, whose values satisfy the predicate, and they go on in order.
func TestMeetings(t *testing.T) {
	procs(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			sides := rapid.IntRange(2, 4).Draw(rt, "sides")
			order := rapid.Permutation(seq(sides)).Draw(rt, "order")
			most := rapid.IntRange(0, 3).Draw(rt, "most")
			type visitTo struct{ side, value int }
			programs := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) visitTo {
				return visitTo{rapid.IntRange(1, sides).Draw(rt, "side"), rapid.IntRange(0, 1).Draw(rt, "value")}
			}), 1, 5), 1, 8).Draw(rt, "programs")

			var mu sync.Mutex
			type went struct{ goroutine, side, value int }
			var log []went
			b := New(t.Name(), Sides(sides), InOrder(order...), Timeout(5*time.Millisecond), WaitDid(), AtMost(most), When(func(vs [][]any) bool {
				seen := map[any]bool{}
				for _, v := range vs {
					if v[0] != vs[0][0] || seen[v[1]] {
						return false
					}
					seen[v[1]] = true
				}
				return true
			}))
			defer Enable(t.Name())()
			var fs []func()
			for g, p := range programs {
				fs = append(fs, func() {
					for _, v := range p {
						hit := b.Here(v.side, v.value, g)
						mu.Lock()
						if hit {
							log = append(log, went{g, v.side, v.value})
						}
						mu.Unlock()
						b.Did(v.side)
					}
				})
			}
			runAll(rt, fs...)
			s := b.Stat()
			if len(log) != s.Hit*sides || most > 0 && s.Hit > most {
				rt.Fatalf("%d went on after hits, stat %+v, at most %d", len(log), s, most)
			}
			count := map[int]int{}
			for _, w := range log {
				count[w.side]++
				at := slices.Index(order, w.side)
				if at > 0 && count[order[at-1]] < count[w.side] {
					rt.Fatalf("side %d went on before side %d: %v", w.side, order[at-1], log)
				}
			}
			for i, n := range s.Postponed {
				if s.TimedOut[i]+s.Released[i] > n || n > s.Reached[i] {
					rt.Fatalf("stat %+v", s)
				}
			}
			if waiters.first != nil || b.meetings != nil {
				rt.Fatal("somebody is left in the room")
			}
		})
	})
}

func seq(n int) (s []int) {
	for i := 1; i <= n; i++ {
		s = append(s, i)
	}
	return s
}
