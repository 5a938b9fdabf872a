package breakpoints

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// start plays a plan in this process, for tests. They can't run in parallel.
func start(t *testing.T, plan string) func() Report {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report")
	old := playing
	playing = load(plan, name)
	if playing == nil {
		data, _ := os.ReadFile(name)
		t.Fatalf("plan not loaded: %s", data)
	}
	t.Cleanup(func() { playing = old })
	return func() Report {
		r, err := ReadReport(name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// spawn starts f as a named goroutine.
func spawn(wg *sync.WaitGroup, site int, f func()) {
	wg.Add(1)
	Spawn(site)
	go func() {
		defer wg.Done()
		f()
	}()
	Back()
}

func TestParse(t *testing.T) {
	text := "timeout 3s\nlinger 5ms\npatience 70ms\ndump\nstep a / 1 2\nstep b /1#2/3#1 4 0 prefer late sleep=1.5ms a a~ a! a+\n"
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != text {
		t.Errorf("round trip:\n%s\nwant\n%s", got, text)
	}
	if len(p.Steps) != 2 || !slices.Equal(p.Steps[1].After, []Ref{{"a", Arrived}, {"a", Blocked}, {"a", Gone}, {"a", Passed}}) {
		t.Errorf("parsed %+v", p)
	}
	for _, bad := range []string{"step", "step a / x 1", "step a / 1 -1", "step a / 1 1;step a / 1 1", "step a / 1 1 b", "timeout soon", "go"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) gives no error", bad)
		}
	}
}

// The plan decides the order, whichever it is, and counts visits by goroutine.
func TestOrder(t *testing.T) {
	for _, first := range []int{1, 2} {
		second := 3 - first
		report := start(t, fmt.Sprintf("step a /7#%d 1 2;step a2 /7#%d 2 1;step b /7#%d 1 1 a2!", first, first, second))
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		for i := range 2 {
			spawn(&wg, 7, func() {
				for range 2 {
					At(1)
					mu.Lock()
					order = append(order, i+1)
					mu.Unlock()
				}
				At(2, 3)
			})
		}
		wg.Wait()
		if want := []int{first, first, second, second}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		if r := report(); !r.Played || len(r.Arrived) != 3 {
			t.Errorf("report %+v", r)
		}
	}
}

// A plan that nobody can fulfil is given up at once, and says so.
func TestStuck(t *testing.T) {
	report := start(t, "timeout 20s;step a /1#1 1 1 b;step b /1#2 9 1")
	var wg sync.WaitGroup
	c := make(chan int)
	begin := time.Now()
	spawn(&wg, 1, func() { At(1); c <- 1 })
	spawn(&wg, 1, func() { <-c; At(8) })
	wg.Wait()
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("released after %v", d)
	}
	if r := report(); r.Played || r.Broken != "stuck a" {
		t.Errorf("report %+v", r)
	}
}

// While somebody can go on, a wait lasts until the time-out.
func TestTimeout(t *testing.T) {
	report := start(t, "timeout 60ms;step a /1#1 1 1 b;step b /1#2 9 1")
	var wg sync.WaitGroup
	begin := time.Now()
	var waited time.Duration
	spawn(&wg, 1, func() { At(1); waited = time.Since(begin) })
	spawn(&wg, 1, func() { time.Sleep(100 * time.Millisecond) })
	wg.Wait()
	if r := report(); r.Broken != "timeout a" || waited < 50*time.Millisecond {
		t.Errorf("waited %v, report %+v", waited, r)
	}
}

// "~" is true only once the goroutine is blocked behind its point.
func TestBlocked(t *testing.T) {
	report := start(t, "step a /1#1 1 1;step b /1#2 2 1 a~")
	var wg sync.WaitGroup
	c := make(chan int)
	var mu sync.Mutex
	got := ""
	spawn(&wg, 1, func() {
		At(1)
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		got += "a"
		mu.Unlock()
		<-c
	})
	spawn(&wg, 1, func() {
		At(2)
		mu.Lock()
		got += "b"
		mu.Unlock()
		close(c)
	})
	wg.Wait()
	if r := report(); got != "ab" || !r.Played {
		t.Errorf("order %q, report %+v", got, r)
	}
}

// Labels of the user's survive, and goroutines that set their own keep their names.
func TestLabels(t *testing.T) {
	report := start(t, "step a /1#1/2#1 1 1 b;step b /1#2/2#1 1 1")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var order []string
	body := func(name string) func() {
		return func() {
			pprof.Do(context.Background(), pprof.Labels("user", name), func(context.Context) {
				At(5) // known by who created it
				spawn(&wg, 2, func() {
					At(1)
					mu.Lock()
					order = append(order, name+labelOf("user"))
					mu.Unlock()
				})
				if labelOf("user") != name || labelOf("hocket") != "" {
					t.Errorf("labels of %s: user=%q hocket=%q", name, labelOf("user"), labelOf("hocket"))
				}
			})
		}
	}
	spawn(&wg, 1, body("x"))
	time.Sleep(10 * time.Millisecond) // one at a time: foreign goroutines are bound in order of arrival
	spawn(&wg, 1, body("y"))
	wg.Wait()
	if r := report(); !r.Played || !slices.Equal(order, []string{"yy", "xx"}) {
		t.Errorf("order %v, report %+v", order, r)
	}
}

func labelOf(key string) string {
	set := (*labelSet)(getLabel())
	if set == nil {
		return ""
	}
	for _, l := range set.list {
		if l.key == key {
			return l.value
		}
	}
	return ""
}

// CondWait is Wait, with the point after the wake-up: the lock is still free there.
func TestCondWait(t *testing.T) {
	report := start(t, "step a /1#1 1 1;step b /1#1 2 1 c;step c / 3 1")
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	var wg sync.WaitGroup
	stolen := false
	spawn(&wg, 1, func() {
		mu.Lock()
		At(1)
		CondWait(2, c.Wait)
		if !stolen {
			t.Error("the lock was taken before the point")
		}
		mu.Unlock()
	})
	for waiting := false; !waiting; {
		waiting = slices.Contains(report().Arrived, "a")
	}
	mu.Lock() // free once the waiter waits
	c.Signal()
	mu.Unlock()
	for !slices.Contains(report().Arrived, "b") {
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	stolen = true
	mu.Unlock()
	At(3)
	wg.Wait()
	called := false
	CondWait(2, func() { called = true })
	if !called {
		t.Error("a function that is no Cond's Wait was not called")
	}
}

func TestIf(t *testing.T) {
	start(t, "step a / 1 2 prefer")
	a, b := make(chan int, 9), make(chan int, 9)
	for range 9 {
		a <- 1
		b <- 1
	}
	var got []bool
	for range 3 {
		At(1)
		got = append(got, If(1, a) != nil)
	}
	if !slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("preferred %v, want only the second visit", got)
	}
}

// Linger plays the plan to its end, and tells who is left.
func TestLinger(t *testing.T) {
	report := start(t, "linger 1ms;dump;step a / 1 1;step b /1#1 2 1 a!")
	var wg sync.WaitGroup
	release := make(chan int)
	spawn(&wg, 1, func() { At(2); <-release })
	At(1)
	Linger()
	if r := report(); !r.Played || !r.Ended || !strings.Contains(r.Dump, "TestLinger.func") {
		t.Errorf("report %+v", r)
	}
	close(release)
	wg.Wait()
}

func TestBadPlan(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report")
	if g := load("nonsense", name); g != nil {
		t.Fatal("a bad plan was loaded")
	}
	if r, err := ReadReport(name); err != nil || r.Bad == "" {
		t.Errorf("report %+v, %v", r, err)
	}
	if r, err := ReadReport(name + "x"); err != nil || r.Played {
		t.Errorf("missing report: %+v, %v", r, err)
	}
}

func BenchmarkAtUnset(b *testing.B) {
	for b.Loop() {
		At(1)
	}
}

// A wait that nobody can end is over alone: the rest of the order is kept.
func TestFreed(t *testing.T) {
	report := start(t, "timeout 20s;step a /1#1 1 1 b;step c /1#1 2 1 d;step d /1#2 8 1;step b /1#2 9 1")
	var wg sync.WaitGroup
	c := make(chan int)
	var came, first atomic.Bool
	spawn(&wg, 1, func() {
		At(1)
		c <- 1
		At(2)
		first.Store(came.Load())
	})
	spawn(&wg, 1, func() {
		<-c
		time.Sleep(20 * time.Millisecond)
		came.Store(true)
		At(8)
	})
	wg.Wait()
	if r := report(); r.Played || r.Broken != "stuck a" || !first.Load() {
		t.Errorf("the rest of the order kept: %v; report %+v", first.Load(), r)
	}
}

// Who is at its next step was blocked, or did not have to wait.
func TestBlockedOrFurther(t *testing.T) {
	report := start(t, "timeout 20s;step a /1#1 1 1;step b /1#1 2 1 c;step c /1#2 3 1 a~")
	var wg sync.WaitGroup
	spawn(&wg, 1, func() { At(1); At(2) })
	spawn(&wg, 1, func() { At(3) })
	wg.Wait()
	if r := report(); !r.Played {
		t.Errorf("report %+v", r)
	}
}

// A plan is patient with those that wait for a timer.
func TestPatience(t *testing.T) {
	report := start(t, "timeout 20s;patience 1s;step a /1#1 1 1 b;step b /1#2 2 1")
	var wg sync.WaitGroup
	spawn(&wg, 1, func() { At(1) })
	spawn(&wg, 1, func() {
		<-time.After(100 * time.Millisecond)
		At(2)
	})
	wg.Wait()
	if r := report(); !r.Played {
		t.Errorf("report %+v", r)
	}
}
