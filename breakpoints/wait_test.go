package breakpoints

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// define sets injected breakpoints for one test and gives their report.
func define(t *testing.T, text string) func() map[int]*Stat {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report")
	old := injected
	injected = loadBreaks(text, name)
	t.Cleanup(func() {
		for _, b := range injected {
			if b != nil {
				b.arm(false)
			}
		}
		injected = old
	})
	return func() map[int]*Stat {
		r, err := ReadReport(name)
		if err != nil || r.Bad != "" {
			t.Fatalf("%v %s", err, r.Bad)
		}
		return r.Breaks
	}
}

func TestInjected(t *testing.T) {
	stat := define(t, `break 7 "b1" 2 order 2,1 timeouts 10s,10s dids 1,2 joint "$1.0 == $2.0 && $1.1 < $2.1"`)
	if On(6) || !On(7) || Ready(6, 1) || !Ready(7, 1) || !Ready(7, 2) {
		t.Error("On or Ready is wrong")
	}
	var x int
	var e events
	runAll(t, func() {
		Side(7, 1, func() (bool, []any) { return false, nil })
		Side(7, 1, func() (bool, []any) { return true, []any{&x, 1} })
		e.add("1")
		Did(7, 1)
	}, func() {
		Side(7, 2, func() (bool, []any) { return true, []any{&x, 2} })
		time.Sleep(10 * time.Millisecond)
		e.add("2")
		Did(7, 2)
	})
	if got := strings.Join(e.list, ""); got != "21" {
		t.Errorf("order %s", got)
	}
	if s := stat()[7]; s == nil || s.Hit != 1 || s.Reached[0] != 2 || s.Reached[1] != 1 {
		t.Errorf("stat %+v", s)
	}
}

func TestPredicatePanics(t *testing.T) {
	stat := define(t, "break 1 \"b1\" 2 timeouts 10ms,10ms joint \"$1.0 < 1\"\n")
	var p *[]int
	Side(1, 1, func() (bool, []any) { return (*p)[3] > 0, nil })
	runAll(t, func() { Side(1, 1, nil) }, func() { Side(1, 2, nil) })
	s := stat()[1]
	if s == nil || len(s.Faults) != 2 || !strings.Contains(s.Faults[0], "side 1: runtime error: invalid memory") || !strings.Contains(s.Faults[1], "side 1 gave no value 0") {
		t.Errorf("stat %+v", s)
	}
}

// A plan and a breakpoint in one process wait for each other's goroutines.
func TestPlanAndBreakpoint(t *testing.T) {
	report := start(t, "timeout 20s;step a /1#1 1 1 b;step b /1#2 2 1")
	stat := define(t, "break 1 \"b\" 2 timeouts 20s,20s")
	var wg sync.WaitGroup
	begin := time.Now()
	spawn(&wg, 1, func() { At(1); Side(1, 1, nil) })
	spawn(&wg, 1, func() { At(2); Side(1, 2, nil) })
	wg.Wait()
	if r := report(); !r.Played || stat()[1].Hit != 1 || time.Since(begin) > 10*time.Second {
		t.Errorf("report %+v", r)
	}
}

func TestReleasedWhenNobodyElseCanGoOn(t *testing.T) {
	procs(t, func(t *testing.T) {
		b := on(t, Timeout(20*time.Second))
		var mu sync.Mutex
		c := make(chan int)
		d := runAll(t, func() {
			mu.Lock()
			b.Here(1)
			mu.Unlock()
			c <- 1
		}, func() {
			<-c
			mu.Lock()
			defer mu.Unlock()
			b.Here(2)
		})
		if s := b.Stat(); s.Released[0]+s.Released[1] != 2 || d > 10*time.Second {
			t.Errorf("took %v, stat %+v", d, s)
		}
	})
}

// Others run on, but the other side waits for what the paused goroutine holds.
func TestHolderIsReleased(t *testing.T) {
	stat := define(t, "break 2 \"b\" 2 timeouts 20s,20s funcs \""+packagePath+".holder\" \""+packagePath+".needer\"\n")
	stop := keepRunning()
	defer stop()
	var mu sync.RWMutex
	held := make(chan int)
	d := runAll(t, func() { holder(&mu, held) }, func() { <-held; needer(&mu) })
	s := stat()[2]
	if d > 10*time.Second || s.Released[0] != 1 || len(s.Held) != 1 || s.Held[0] != "side 1 held sync.RWMutex that side 2 waits for: released early" {
		t.Errorf("took %v, stat %+v", d, s)
	}
}

//go:noinline
func holder(mu *sync.RWMutex, held chan int) {
	mu.Lock()
	close(held)
	Side(2, 1, nil)
	mu.Unlock()
}

//go:noinline
func needer(mu *sync.RWMutex) {
	mu.RLock()
	Side(2, 2, func() (bool, []any) { return false, nil })
	mu.RUnlock()
}

// In a bubble, pauses end, hits happen, and the bubble's clock stands still.
func TestBubble(t *testing.T) {
	procs(t, func(t *testing.T) {
		b := on(t, Timeout(300*time.Millisecond))
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			var wg sync.WaitGroup
			wg.Go(func() { b.Here(1) })
			wg.Go(func() { b.Here(2) })
			wg.Wait()
			if s := b.Stat(); s.Hit != 1 {
				t.Errorf("stat %+v", s)
			}
			c := make(chan int)
			go func() {
				time.Sleep(time.Hour)
				close(c)
			}()
			b.Here(1) // nobody comes: all others sleep
			if d := time.Since(begin); d != 0 {
				t.Errorf("%v of the bubble's time are gone", d)
			}
			<-c
			for range 1000 {
				b.Here(1)
			}
		})
		if s := b.Stat(); s.Released[0]+s.TimedOut[0] == 0 {
			t.Errorf("stat %+v", s)
		}
		b.Here(2) // outside again
	})
}

// The plan's waits end in a bubble too.
func TestPlanInBubble(t *testing.T) {
	report := start(t, "timeout 20s;step a /1#1 1 1 b;step b /1#2 9 1")
	begin := time.Now()
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		spawn(&wg, 1, func() { At(1) })
		spawn(&wg, 1, func() { time.Sleep(time.Minute) })
		wg.Wait()
	})
	if r := report(); r.Broken != "stuck a" || time.Since(begin) > 10*time.Second {
		t.Errorf("report %+v", r)
	}
}

// A hot side alone pauses for its three free pauses and about 0.5 % of the time,
// and a visit of its costs next to nothing meanwhile.
func TestHotSide(t *testing.T) {
	if raceBuild {
		t.Skip("under the race detector visits are expensive anyway, and always look")
	}
	stat := define(t, "break 3 \"b\" 2 timeouts 20ms,20ms\n")
	begin := time.Now()
	n := 0
	for time.Since(begin) < 500*time.Millisecond {
		for range 1000 {
			Side(3, 1, nil)
			n++
		}
	}
	q := &injected[3].sides[1].budget
	if spent := time.Duration(q.spent); q.pauses < freePauses || q.pauses > freePauses+4 { // on a busy machine they take longer than granted
		t.Errorf("paused %d times, %v of %v", q.pauses, spent, time.Since(begin))
	}
	if n < 1e6 {
		t.Errorf("%d visits only", n)
	}
	if s := stat()[3]; s.Reached[0] > 2000 {
		t.Errorf("%d visits of %d looked", s.Reached[0], n)
	}
}

// A seldom side meets a hot one at each of its visits.
func TestSeldomMeetsHot(t *testing.T) {
	procs(t, func(t *testing.T) {
		b := on(t, Timeout(time.Second))
		stop := make(chan bool)
		hits := 0
		runAll(t, func() {
			for {
				select {
				case <-stop:
					return
				default:
					b.Here(1)
				}
			}
		}, func() {
			defer close(stop)
			for range 10 {
				time.Sleep(20 * time.Millisecond)
				if b.Here(2) {
					hits++
				}
			}
		})
		if hits < 9 {
			t.Errorf("%d hits of 10", hits)
		}
	})
}

// While a hot pair meets all the time, the program still gets on.
func TestHotPair(t *testing.T) {
	b := on(t)
	begin := time.Now()
	loop := func(side int) func() {
		return func() {
			for range 100_000 {
				b.Here(side)
				b.Did(side)
			}
		}
	}
	runAll(t, loop(1), loop(2))
	if s := b.Stat(); s.Hit < freeHits || time.Since(begin) > 20*time.Second {
		t.Errorf("took %v, stat %+v", time.Since(begin), s)
	}
}

// Under a debugger, a standstill of the process is no time-out.
func TestHold(t *testing.T) {
	holding = true
	defer func() { holding = false }()
	b := on(t, Timeout(100*time.Millisecond))
	stop := keepRunning()
	defer stop()
	v := &visit{b: b, seen: nanotime() - int64(time.Hour)}
	v.tick()
	if v.live > int64(10*time.Millisecond) {
		t.Errorf("an hour's stop counted as %v", time.Duration(v.live))
	}
	if b.Here(1) || b.Stat().TimedOut[0] != 1 {
		t.Errorf("stat %+v", b.Stat())
	}
}

func TestBadDefinitionIsReported(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report")
	if set := loadBreaks("break 1 \"x\" 1", name); set[1] != nil || On(1) {
		t.Error("set")
	}
	if r, err := ReadReport(name); err != nil || !strings.Contains(r.Bad, "1 sides") {
		t.Errorf("%+v %v", r, err)
	}
	file := filepath.Join(t.TempDir(), "defs")
	if err := os.WriteFile(file, []byte("break 9 \"x\" 2"), 0o644); err != nil {
		t.Fatal(err)
	}
	define(t, "@"+file)
	if !On(9) {
		t.Error("a file of definitions is not read")
	}
}
