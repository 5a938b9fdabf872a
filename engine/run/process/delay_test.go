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

// A test that fails at a time-out of its own is said to, if the timer fired while
// others were delayed; not if nobody could run, and not if its time-out only led
// somewhere else.
func TestOwnTimeouts(t *testing.T) {
	const program = `package odd

import (
	"context"
	"sync"
	"testing"
	"time"
)

var mu sync.Mutex

func answer(n int) chan int {
	c := make(chan int)
	go func() {
		for range n {
			mu.Lock()
			mu.Unlock()
		}
		c <- 1
	}()
	return c
}

func TestAfter(t *testing.T) {
	select {
	case <-answer(5):
	case <-time.After(time.Millisecond):
		t.Fatal("no answer")
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	select {
	case <-answer(5):
	case <-ctx.Done():
		t.Errorf("no answer: %v", ctx.Err())
	}
}

func waits(c chan int) bool {
	tm := time.NewTimer(time.Millisecond)
	defer tm.Stop()
	select {
	case <-c:
		return true
	case <-tm.C:
		return false
	}
}

func TestHelper(t *testing.T) {
	if !waits(answer(5)) {
		t.Fatal("no answer")
	}
}

// A real bug on the way that a time-out takes.
func TestAbandoned(t *testing.T) {
	done := make(chan bool)
	go func() {
		for range 5 {
			mu.Lock()
			mu.Unlock()
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Millisecond):
		close(done)
	}
}

func TestNobody(t *testing.T) {
	select {
	case <-make(chan int):
	case <-time.After(time.Millisecond):
		t.Fatal("no answer")
	}
}
`
	for entry, p := range programEntries(t, program, "TestAfter", "TestContext", "TestHelper", "TestAbandoned", "TestNobody") {
		own := entry != "TestAbandoned" && entry != "TestNobody"
		failed := 0
		for seed := range uint64(40) {
			spec := run.Spec{Strategy: []run.Strategy{run.Random, run.POS}[seed%2], Seed: seed, Length: 150, Schedule: trace.Schedule{Delay: int64(time.Millisecond)}}
			r, err := p.Run(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Failed() {
				continue
			}
			failed++
			if entry == "TestNobody" && r.Delayed > 0 {
				continue // it would have failed without
			}
			if r.TimedOut != own {
				t.Errorf("%s, seed %d: at a time-out of its own: %v (%s)", entry, seed, r.TimedOut, r.Outcome.Message)
			}
		}
		if failed == 0 {
			t.Errorf("%s never fails", entry)
		}
	}
}
