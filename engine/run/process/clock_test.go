package process_test

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// The clock moves as on a real machine, by what goroutines do, with and without
// switch points; and a run says whether the program has read it.
func TestClockMoves(t *testing.T) {
	const program = `package odd

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type entry struct{ expires time.Time }

func (e *entry) touch() { e.expires = time.Now().Add(time.Minute) }

func TestTouch(t *testing.T) {
	e := &entry{}
	e.touch()
	old := e.expires
	if n := testing.AllocsPerRun(1, e.touch); n != 0 {
		t.Error("allocates", n)
	}
	if !e.expires.After(old) {
		t.Error("two readings are equal")
	}
}

func TestHandover(t *testing.T) {
	before := time.Now()
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
	if !time.Now().After(before) {
		t.Error("time stood still")
	}
}

var sum int

func TestAccesses(t *testing.T) {
	cost := func(n int) time.Duration {
		start := time.Now()
		for range n {
			sum++
		}
		return time.Since(start)
	}
	if few, many := cost(10), cost(1000); few >= many {
		t.Error("ten accesses take as long as a thousand:", few, many)
	}
}

// Timers set in a row for the same time fire together: their goroutines meet.
func TestTogether(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	at, most := 0, 0
	for range 8 {
		wg.Go(func() {
			time.Sleep(10 * time.Millisecond)
			mu.Lock()
			at++
			most = max(most, at)
			mu.Unlock()
			for range 20 {
				mu.Lock()
				mu.Unlock()
			}
			mu.Lock()
			at--
			mu.Unlock()
		})
	}
	wg.Wait()
	if most == 1 {
		t.Log("apart")
		return
	}
	t.Fatal("they met")
}

// Sleeps that lie far apart keep their order.
func TestApart(t *testing.T) {
	var n atomic.Int32
	go func() {
		time.Sleep(10 * time.Millisecond)
		n.Add(1)
	}()
	time.Sleep(50 * time.Millisecond)
	if n.Load() == 0 {
		t.Error("it slept longer")
	}
}

var kept []*int

// Nobody is preempted while allocations are counted, as on one processor.
func TestAllocs(t *testing.T) {
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		for range 20 {
			mu.Lock()
			kept = append(kept, new(int))
			mu.Unlock()
		}
		close(done)
	}()
	if n := testing.AllocsPerRun(3, func() {
		mu.Lock()
		mu.Unlock()
	}); n != 0 {
		t.Error("allocates", n)
	}
	<-done
}

func TestNoClock(t *testing.T) {
	c := make(chan int, 1)
	c <- 1
	<-c
}
`
	entries := programEntries(t, program, "TestTouch", "TestHandover", "TestAccesses", "TestTogether", "TestApart", "TestAllocs", "TestNoClock")
	met := false
	for entry, p := range entries {
		for seed := range uint64(12) {
			spec := run.Spec{Strategy: run.Random, Seed: seed, Schedule: trace.Schedule{ClockStep: []int64{0, 0, 200, 2000}[seed%4]}}
			r, err := p.Run(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			if entry == "TestTogether" {
				met = met || r.Failed()
			} else if r.Outcome.Kind != trace.Passed {
				t.Errorf("%s, seed %d: %s %s", entry, seed, r.Outcome.Kind, r.Outcome.Message)
			}
			if reads := entry != "TestNoClock" && entry != "TestTogether" && entry != "TestApart" && entry != "TestAllocs"; r.ReadClock != reads {
				t.Errorf("%s: the clock was read: %v", entry, r.ReadClock)
			}
			again, err := p.Run(t.Context(), run.ReplayOf(run.Spec{Record: run.Full}, r))
			if err != nil {
				t.Fatal(err)
			}
			if again.Hash != r.Hash || again.Steps != r.Steps {
				t.Errorf("%s, seed %d: another run when recorded: %d and %d steps", entry, seed, r.Steps, again.Steps)
			}
		}
	}
	if !met {
		t.Error("goroutines that slept for the same time never met")
	}
}
