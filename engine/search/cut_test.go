package search_test

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// endless is a program that never ends. If leaks says so, some of its schedules block a
// goroutine for ever after so many steps.
func endless(leaks int) runnerFunc {
	const most = 10_000
	return func(_ context.Context, s run.Spec) (*run.Result, error) {
		steps := most
		if s.Schedule.Steps > 0 {
			steps = s.Schedule.Steps
		}
		r := &run.Result{Schedule: s.Schedule, Steps: steps, Hash: uint64(steps), Duration: time.Millisecond}
		r.Schedule.Steps = steps
		if s.Strategy == run.POS && s.Seed%2 == 0 {
			r.Schedule.Segments = []trace.Segment{{G: 7}}
		}
		r.Outcome.Kind = trace.StepLimit
		if len(r.Schedule.Segments) > 0 && leaks > 0 && steps >= leaks {
			r.Hash++
			r.Outcome = trace.Outcome{Kind: trace.Leaked, Cut: true, Blocked: []trace.Blocked{{G: 2, Op: trace.OpLock, Leaked: true}}}
			r.BlockedAt = []trace.Frame{{Func: "main.worker", File: "main.go", Line: 5}}
		}
		return r, nil
	}
}

// What is blocked for ever in runs that were cut off is found, in a run that was cut
// off early.
func TestLeakOfARunThatWasCutOff(t *testing.T) {
	const leaks = 600
	o := search.Run(context.Background(), endless(leaks), time.Minute, search.Options{Schedules: 200, Strategy: named(t, "mix", 1)}, nil)
	if o.Status != search.Failing || len(o.Findings) != 1 {
		t.Fatalf("%s %s, %d findings", o.Status, o.Reason, len(o.Findings))
	}
	f := o.Findings[0]
	if steps := f.Result.Schedule.Steps; !f.Replayed || f.Signature.Kind != trace.Leaked || steps < leaks || steps >= 2*leaks {
		t.Errorf("%v, replayed %t, cut off after %d steps", f.Signature, f.Replayed, steps)
	}
	passes := *f.Result
	passes.Outcome = trace.Outcome{Kind: trace.StepLimit}
	if !f.Passes(&passes) || f.Passes(f.Result) {
		t.Error("a run that was cut off, and in which nobody is blocked, does not count as one that passes")
	}
	if len(o.Passing) > 0 || o.AlwaysLeaks != nil {
		t.Errorf("runs that were cut off count as ended: %d, %v", len(o.Passing), o.AlwaysLeaks)
	}
}

// Where runs take longer than they may, later ones are cut off before that, and show
// what is blocked for ever. A test says nothing then, and is not cut off.
func TestLeakOfRunsThatWereKilled(t *testing.T) {
	slow := func(ctx context.Context, s run.Spec) (*run.Result, error) {
		r, err := endless(100)(ctx, s)
		if s.Schedule.Steps == 0 {
			r.Steps, r.Hang, r.Outcome = 50_000, true, trace.Outcome{Kind: trace.StepLimit}
		}
		return r, err
	}
	for _, program := range []bool{true, false} {
		o := search.Run(context.Background(), runnerFunc(slow), time.Minute, search.Options{Schedules: 200, Strategy: named(t, "mix", 1), Program: program, Workers: 1}, nil)
		if found := o.Status == search.Failing; found != program || !found && o.Status != search.NotControllable {
			t.Errorf("program %t: %s %s", program, o.Status, o.Reason)
		}
	}
}

// Where no run ends, most go by priorities, which let some goroutines come to their end;
// one run that ends is enough to go on as usual.
func TestMixOfRunsThatAreCutOff(t *testing.T) {
	count := func(seen ...trace.OutcomeKind) (pct int) {
		s := search.NewMix(1)
		for _, k := range seen {
			s.Observe(run.Spec{}, &run.Result{Steps: 1000, Outcome: trace.Outcome{Kind: k}})
		}
		for n := range 90 {
			if spec, _ := s.Next(context.Background(), n+1); spec.Strategy == run.PCT {
				pct++
				if len(seen) > 0 && spec.Length != 1000 {
					t.Errorf("length %d, not that of the runs", spec.Length)
				}
			}
		}
		return pct
	}
	if usual, cut, one := count(), count(trace.StepLimit, trace.StepLimit), count(trace.StepLimit, trace.Passed); usual > 30 || cut < 50 || one != usual {
		t.Errorf("by priorities: %d of 90 as usual, %d where all runs are cut off, %d where one is not", usual, cut, one)
	}
}

func TestNothingButRunsThatWereCutOff(t *testing.T) {
	if o := search.Run(context.Background(), endless(0), time.Minute, search.Options{Schedules: 200, Strategy: named(t, "mix", 1)}, nil); o.Status != search.NotControllable {
		t.Errorf("%s %s", o.Status, o.Reason)
	}
}
