package native

import (
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A failure that needs a goroutine to be slower than a timer comes on the ordinary
// build, too, when the goroutine sleeps where it stood.
func TestConfirmDelays(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	const head = `package odd

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	mu   sync.Mutex
	_    context.Context
	done atomic.Bool
)

func step() {
	mu.Lock()
	mu.Unlock()
}

func TestDelay(t *testing.T) {
`
	for name, body := range map[string]string{
		"stop": `
	step()
	tm := time.AfterFunc(2*time.Millisecond, func() {})
	step()
	if !tm.Stop() {
		t.Fatal("fired")
	}`,
		"poll": `
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	step()
	if ctx.Err() != nil {
		panic("fired")
	}`,
		"sleep": `
	go func() {
		time.Sleep(time.Millisecond)
		done.Store(true)
	}()
	time.Sleep(5*time.Millisecond)
	if !done.Load() {
		t.Fatal("slept longer")
	}`,
		"tick": `
	tick := time.NewTicker(3*time.Millisecond)
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-tick.C:
				step()
				done.Store(true)
			case <-stop:
				return
			}
		}
	}()
	step()
	tick.Stop()
	stop <- true
	if done.Load() {
		t.Fatal("fired")
	}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/odd_test.go", head+body+"\n}\n")
			write(t, dir+"/go.mod", "module odd\n\ngo 1.25\n")
			target := instrument.Target{Dir: dir, ImportPath: "odd", Entry: "TestDelay", Test: true}
			fail := delayedTrace(t, target)
			rep, err := Confirm(t.Context(), Request{Target: target, Trace: fail, Runs: 40, Baseline: 10})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Failed*20 < rep.Runs*18 || rep.Baseline.Failed > 3 {
				t.Errorf("failed %d of %d, %d of %d without the plan; played %d, stuck %d, unplayed %d\n%s%q %v\n%s", rep.Failed, rep.Runs,
					rep.Baseline.Failed, rep.Baseline.Runs, rep.Played, rep.Stuck, rep.Unplayed, rep.Plan.Steps, rep.Plan.Dropped, rep.Plan.Places, rep.Why)
			}
		})
	}
}

// delayedTrace is a failing run with the least delay of some.
func delayedTrace(t *testing.T, target instrument.Target) *trace.Trace {
	t.Helper()
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	var best *run.Result
	for seed := range uint64(400) {
		spec := run.Spec{Args: target.RunArgs(), Strategy: []run.Strategy{run.Random, run.POS, run.PCT}[seed%3], Seed: seed, Length: 150}
		spec.Schedule.Delay = int64(10 * time.Millisecond)
		r, err := runner.Run(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if r.Failed() && r.Delayed > 0 && (best == nil || run.CountsOf(r).Compare(run.CountsOf(best)) < 0) {
			best = r
		}
	}
	if best == nil {
		t.Fatal("no failing schedule found")
	}
	full, err := runner.Run(t.Context(), run.Spec{Args: target.RunArgs(), Strategy: run.Replay, Schedule: best.Schedule, Record: run.Full})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := trace.PrintSchedule(&text, full.Schedule, full.Trace); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%+v", text.String(), full.Trace.Delays)
	return full.Trace
}
