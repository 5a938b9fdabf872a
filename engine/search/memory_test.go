package search

import (
	"fmt"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Attempts get the memory model once a race was seen; those that follow an earlier run,
// and the first, keep theirs.
func TestBuffers(t *testing.T) {
	at := trace.Frame{Func: "m.f", File: "/m/a.go", Line: 1}
	race := &run.Result{Races: []run.RacePair{{First: at, Second: at, FirstSite: "b", SecondSite: "a"}}}
	b := buffers{memory: trace.TSO, seed: 1}
	put := func(b *buffers, n int, s run.Spec) trace.Schedule {
		b.complete(n, &s)
		return s.Schedule
	}
	if s := put(&b, 5, run.Spec{Strategy: run.POS}); s.Memory != trace.SC {
		t.Errorf("no race was seen: %+v", s)
	}
	b.Observe(run.Spec{}, race)
	drawn := 0
	for n := range 40 {
		s := put(&b, n, run.Spec{Strategy: run.Random})
		if s.Memory != trace.TSO || len(s.Hot) != 2 || s.Hot[0] != "a" {
			t.Fatalf("attempt %d: %+v", n, s)
		}
		if s.BufferSeed != 0 {
			drawn++
		}
		if again := put(&b, n, run.Spec{Strategy: run.Random}); again.BufferSeed != s.BufferSeed {
			t.Errorf("attempt %d has two seeds", n)
		}
	}
	if drawn < 10 || drawn > 30 {
		t.Errorf("%d of 40 draw how long stores wait", drawn)
	}
	earlier := run.Spec{Strategy: run.POS, Schedule: trace.Schedule{Memory: trace.PSO, Segments: []trace.Segment{{G: 1}}}}
	if s := put(&b, 5, earlier); s.Memory != trace.PSO || s.Hot != nil {
		t.Errorf("an earlier run: %+v", s)
	}
	if s := put(&b, 0, plain()); s.Memory != trace.SC {
		t.Errorf("the plain run: %+v", s)
	}
	sc := buffers{seed: 1}
	sc.Observe(run.Spec{}, race)
	if s := put(&sc, 5, run.Spec{Strategy: run.POS}); s.Memory != trace.SC || s.Hot != nil {
		t.Errorf("sequential consistency: %+v", s)
	}
}

// No racing place is left out, however many there are.
func TestBuffersKnowAllPlaces(t *testing.T) {
	b := newBuffers(trace.TSO, 1)
	at := trace.Frame{Func: "m.f", File: "/m/a.go", Line: 1}
	for i := range 2 * hotLimit {
		b.Observe(run.Spec{}, &run.Result{Races: []run.RacePair{{First: at, Second: at, FirstSite: fmt.Sprint(i), SecondSite: "x"}}})
	}
	s := run.Spec{Strategy: run.POS}
	if b.complete(5, &s); len(s.Schedule.Hot) != 2*hotLimit+1 {
		t.Errorf("%d places of %d", len(s.Schedule.Hot), 2*hotLimit+1)
	}
}

// If all runs are loose, that is said.
func TestLooseRunsAreCounted(t *testing.T) {
	l := newLedger()
	for n := range 3 {
		l.add(n, run.Spec{}, &run.Result{Loose: true})
	}
	const want = "3 of 3 runs are none of the memory model, and were not judged"
	if got := l.unjudged(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run in which a store raced that did not wait shows no failure.
func TestLooseRunsShowNothing(t *testing.T) {
	r := &run.Result{Loose: true, Outcome: trace.Outcome{Kind: trace.Panicked}}
	l := newLedger()
	l.add(0, run.Spec{}, r)
	if l.verdicts != 0 || len(l.samples) != 0 || r.Failed() {
		t.Errorf("%d verdicts, %d failures", l.verdicts, len(l.samples))
	}
}

func TestWeakStrategies(t *testing.T) {
	for name, want := range map[string]bool{"auto": true, "mix": true, "pos": true, "pct": true, "random": true, "explore": false, "cortex": false, "reads-from": false, "rf": false} {
		if Weak(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	s, err := Make("auto", Config{Memory: trace.TSO, Predict: true})
	if _, ok := s.(*Mix); !ok || err != nil {
		t.Errorf("auto is %T, %v", s, err)
	}
}
