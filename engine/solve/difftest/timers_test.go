package difftest_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// timerPrograms have goroutines that timers start. Each fails in one way, under
// the schedules that let a timer's function run between two operations of main.
const timerPrograms = `package main

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// One timer, made after main has used what its function uses.
func late() {
	var ready, n atomic.Int64
	var wg sync.WaitGroup
	wg.Add(1)
	ready.Store(1)
	n.Store(1)
	time.AfterFunc(time.Microsecond, func() {
		if ready.Load() == 0 {
			panic("before it was made")
		}
		n.Add(1)
		wg.Done()
	})
	if n.Load() == 1 {
		runtime.Gosched()
		if n.Load() == 2 {
			panic("between")
		}
	}
	wg.Wait()
}

// A timer that fires twice, whose function starts a goroutine.
func again() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	n := 0
	mu.Lock()
	n = 1
	mu.Unlock()
	t := time.AfterFunc(time.Microsecond, func() {
		go func() {
			mu.Lock()
			if n == 0 {
				panic("before it was made")
			}
			n++
			mu.Unlock()
			wg.Done()
		}()
	})
	mu.Lock()
	if n == 2 {
		panic("between")
	}
	mu.Unlock()
	time.Sleep(time.Millisecond)
	t.Reset(time.Microsecond)
	wg.Wait()
}

func main() {
	switch os.Args[1] {
	case "late":
		late()
	case "again":
		again()
	}
}
`

// Goroutines that timers start begin after their timers were made, in the runs and
// in all schedules that exploration asks for; it finds what they do, and proves
// nothing of their programs.
func TestTimers(t *testing.T) {
	bin := buildSource(t, timerPrograms)
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	for _, name := range []string{"late", "again"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			r := &followed{Runner: p}
			known := ends{}
			proved, why, runs := exploreReal(ctx, t, r, run.Spec{Args: []string{name}}, known, 60)
			t.Logf("%d runs: %q (%s)", runs, known.names(), why)
			if proved || !strings.Contains(why, "timers") {
				t.Errorf("proved: %v (%s)", proved, why)
			}
			if !slices.Contains(known.names(), "panic: between") {
				t.Errorf("not found among %q", known.names())
			}
			if len(r.strays) > 0 {
				t.Errorf("%d of %d schedules were not possible: %v", len(r.strays), runs, r.strays)
			}
			for seed := range uint64(20) {
				spec := run.Spec{Args: []string{name}, Strategy: run.POS, Seed: seed, Record: run.Full}
				res, err := p.Run(ctx, spec)
				if err != nil {
					t.Fatal(err)
				}
				checkRecordedOrder(t, res.Trace)
			}
		})
	}
}

// followed notes the schedules that could not be followed.
type followed struct {
	run.Runner
	strays [][]trace.Segment
}

func (r *followed) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	res, err := r.Runner.Run(ctx, spec)
	if err != nil {
		return nil, err
	}
	asked := spec.Schedule.Segments
	mainLater := len(asked) > 0 && asked[0].G != res.Trace.Goroutines[1].Key
	if res.Diverged || mainLater {
		r.strays = append(r.strays, asked)
	}
	return res, nil
}

// checkRecordedOrder fails the test if a run is no schedule of its own system.
func checkRecordedOrder(t *testing.T, tr *trace.Trace) {
	t.Helper()
	sys, err := forest.FromTrace(tr)
	if err != nil {
		t.Fatal(err)
	}
	order := make([]constraint.EventID, len(sys.Events))
	for i := range sys.Events {
		order[sys.Events[i].At] = constraint.EventID(i)
	}
	if _, v := constraint.Simulate(sys, append(order, sys.End())); v != nil {
		t.Errorf("%v\n%v", v, sys)
	}
}
