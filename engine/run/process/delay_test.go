package process_test

import (
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Each fails only if a timer fires while the test could go on; but for TestFar,
// where that would take longer than any delay here.
const delayPrograms = `package odd

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var mu sync.Mutex

func step() {
	mu.Lock()
	mu.Unlock()
}

func TestStop(t *testing.T) {
	step()
	tm := time.AfterFunc(time.Millisecond, func() {})
	step()
	if !tm.Stop() {
		t.Fatal("fired")
	}
}

func TestReset(t *testing.T) {
	tm := time.AfterFunc(time.Millisecond, step)
	step()
	if !tm.Reset(time.Millisecond) {
		t.Fatal("fired")
	}
}

func TestPoll(t *testing.T) {
	tm := time.NewTimer(time.Millisecond)
	step()
	select {
	case <-tm.C:
		t.Fatal("fired")
	default:
	}
}

func TestErr(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	step()
	if ctx.Err() != nil {
		t.Fatal("fired")
	}
}

func TestBoth(t *testing.T) {
	c := make(chan int, 1)
	c <- 1
	late := time.After(time.Millisecond)
	select {
	case <-c:
	case <-late:
		t.Fatal("fired")
	}
}

func TestTick(t *testing.T) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	stop := make(chan bool)
	var ticks atomic.Int32
	go func() {
		for {
			select {
			case <-tick.C:
				ticks.Add(1)
			case <-stop:
				return
			}
		}
	}()
	for range 4 {
		step()
	}
	stop <- true
	if ticks.Load() > 0 {
		t.Fatal("fired")
	}
}

func sleeps(t *testing.T, worker, main time.Duration) {
	var done atomic.Bool
	go func() {
		time.Sleep(worker)
		done.Store(true)
	}()
	time.Sleep(main)
	if !done.Load() {
		t.Fatal("slept longer")
	}
}

func TestNear(t *testing.T) { sleeps(t, time.Millisecond, 4*time.Millisecond) }
func TestFar(t *testing.T)  { sleeps(t, 10*time.Millisecond, 50*time.Millisecond) }
`

// A timer fires while others can run if the schedule's delay allows it, under each
// sampling strategy, and what was run can be repeated and recorded.
func TestDelays(t *testing.T) {
	least := map[string]time.Duration{
		"TestStop": time.Millisecond, "TestReset": time.Millisecond, "TestPoll": time.Millisecond, "TestErr": time.Millisecond,
		"TestBoth": time.Millisecond, "TestTick": time.Millisecond, "TestNear": 10 * time.Millisecond, "TestFar": time.Hour,
	}
	var entries []string
	for e := range least {
		entries = append(entries, e)
	}
	for entry, p := range programEntries(t, delayPrograms, entries...) {
		for _, delay := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
			failed := 0
			for seed := range uint64(60) {
				strategy := []run.Strategy{run.Random, run.POS, run.PCT}[seed%3]
				spec := run.Spec{Strategy: strategy, Seed: seed, Length: 150, Depth: int(seed % 3)}
				spec.Schedule = trace.Schedule{Delay: int64(delay), SelectSeed: seed, ClockStep: []int64{0, 200, 2000}[seed/3%3]}
				r, err := p.Run(t.Context(), spec)
				if err != nil {
					t.Fatal(err)
				}
				if r.Delayed > delay {
					t.Errorf("%s, %v: delayed by %v", entry, delay, r.Delayed)
				}
				if !r.Failed() {
					continue
				}
				if failed++; failed < 4 {
					checkDelay(t, entry, p, r)
				}
			}
			if may := delay >= least[entry]; may != (failed > 0) {
				t.Errorf("%s, %v: %d of 60 fail", entry, delay, failed)
			}
		}
	}
}

// checkDelay repeats a failing run: it is the same when it is recorded, and says who
// was delayed by which timer; without the delay it does not fail.
func checkDelay(t *testing.T, entry string, p run.Runner, r *run.Result) {
	t.Helper()
	again, err := p.Run(t.Context(), run.ReplayOf(run.Spec{Record: run.Full}, r))
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash != r.Hash || again.Diverged || again.Delayed != r.Delayed || !again.Failed() {
		t.Errorf("%s: repeated: diverged: %v, delayed by %v, not %v, %s", entry, again.Diverged, again.Delayed, r.Delayed, again.Outcome.Kind)
	}
	if len(again.Trace.Delays) == 0 {
		t.Errorf("%s: no delay is recorded", entry)
	}
	for _, d := range again.Trace.Delays {
		if d.NS <= 0 || d.Maker == 0 || again.Trace.Stacks[d.Stack] == nil {
			t.Errorf("%s: delay %+v", entry, d)
		}
	}
	if err := trace.Check(again.Trace); err != nil {
		t.Errorf("%s: %v", entry, err)
	}
	without := run.ReplayOf(run.Spec{}, r)
	without.Schedule.Delay = 0
	if in, err := p.Run(t.Context(), without); err != nil || in.Failed() || in.Delayed > 0 {
		t.Errorf("%s: without the delay: %s, delayed by %v, %v", entry, in.Outcome.Kind, in.Delayed, err)
	}
}
