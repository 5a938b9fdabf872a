package minigo_test

import (
	"context"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/trace"
)

// outcome is a run's failure in the words of Behaviour.
func outcome(o trace.Outcome) string {
	switch o.Kind {
	case trace.Passed, trace.Raced:
		return ""
	case trace.Deadlocked, trace.Leaked:
		return string(o.Kind)
	}
	return o.Message
}

// programs calls f with n random programs whose behaviour has at most limit states.
func programs(t *testing.T, n, limit int, size minigo.Size, f func(seed uint64, p *minigo.Program, b *minigo.Behaviour)) {
	for seed := uint64(0); n > 0 && !t.Failed(); seed++ {
		p := minigo.Generate(rand.New(rand.NewPCG(seed, 7)), size)
		if b := minigo.Enumerate(p, limit); b != nil {
			f(seed, p, b)
			n--
		}
	}
}

// What any run of sim does is in the behaviour.
func TestRunsAreInTheBehaviour(t *testing.T) {
	runs := 0
	programs(t, 200, 20_000, minigo.Size{Threads: 3, Steps: 3, Racy: true}, func(seed uint64, p *minigo.Program, b *minigo.Behaviour) {
		r := &minigo.Runner{Program: p, Saw: func(_ run.Spec, s *minigo.Seen) { runs++; within(t, seed, p, b, s) }}
		for i := range uint64(30) {
			spec := run.Spec{Strategy: []run.Strategy{run.Random, run.POS, run.PCT}[i%3], Seed: i, Depth: 3, Length: 20, Record: run.Full}
			spec.Schedule = trace.Schedule{SelectSeed: i, Hot: p.Hot()}
			res, err := r.Run(context.Background(), spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := trace.Check(res.Trace); err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, p)
			}
		}
	})
	t.Logf("%d runs", runs)
}

func within(t *testing.T, seed uint64, p *minigo.Program, b *minigo.Behaviour, s *minigo.Seen) {
	t.Helper()
	f := outcome(s.Outcome)
	if !b.Ends[minigo.End(f, s.Last)] {
		t.Errorf("seed %d: no such end: %q %x; there are %v\n%v", seed, f, s.Last, b.Ends, p)
	}
	for n, hs := range s.Histories {
		for h := range hs {
			if !b.Histories[n][h] {
				t.Errorf("seed %d: thread %d: no such history\n%v", seed, n, p)
			}
		}
	}
}

// All schedules and choices of sim together do all that is in the behaviour.
func TestAllRunsAreTheBehaviour(t *testing.T) {
	tried, states := 0, 0
	programs(t, 100, 200, minigo.Size{Threads: 2, Steps: 2, Racy: true}, func(seed uint64, p *minigo.Program, b *minigo.Behaviour) {
		ends := map[string]bool{}
		histories := make([]map[uint64]bool, len(p.Threads))
		for n := range histories {
			histories[n] = map[uint64]bool{}
		}
		whole := everySchedule(t, p, 1000, func(s *minigo.Seen) {
			within(t, seed, p, b, s)
			ends[minigo.End(outcome(s.Outcome), s.Last)] = true
			for n, hs := range s.Histories {
				for h := range hs {
					histories[n][h] = true
				}
			}
		})
		if !whole {
			return
		}
		tried++
		states += b.States
		for e := range b.Ends {
			if !ends[e] {
				t.Errorf("seed %d: no run ends as %s\n%v", seed, e, p)
			}
		}
		for n, hs := range b.Histories {
			if len(hs) != len(histories[n]) {
				t.Errorf("seed %d: thread %d: %d of %d histories\n%v", seed, n, len(histories[n]), len(hs), p)
			}
		}
	})
	t.Logf("%d programs, %d states", tried, states)
	if tried < 40 {
		t.Errorf("only %d programs were tried completely", tried)
	}
}

// everySchedule runs all; false if there are more than limit.
func everySchedule(t *testing.T, p *minigo.Program, limit int, saw func(*minigo.Seen)) bool {
	var taken, of []int
	at := 0
	pick := func(n int) int {
		if at == len(taken) {
			taken, of = append(taken, 0), append(of, n)
		}
		at++
		return taken[at-1]
	}
	r := &minigo.Runner{
		Program: p, Saw: func(_ run.Spec, s *minigo.Seen) { saw(s) },
		Decide: &sim.Decider{Next: func(r []uint64) int { return pick(len(r)) }, Select: pick},
	}
	for n := 0; ; n++ {
		if n == limit {
			return false
		}
		at = 0
		if _, err := r.Run(context.Background(), run.Spec{Schedule: trace.Schedule{Hot: p.Hot()}}); err != nil {
			t.Fatal(err)
		}
		last := len(taken) - 1
		for last >= 0 && taken[last]+1 == of[last] {
			last--
		}
		if last < 0 {
			return true
		}
		taken, of = taken[:last+1], of[:last+1]
		taken[last]++
	}
}

// The source of every program is Go.
func TestSourceParses(t *testing.T) {
	for seed := range uint64(300) {
		p := minigo.Generate(rand.New(rand.NewPCG(seed, 7)), minigo.Size{Threads: 3, Steps: 4, Racy: true})
		var b strings.Builder
		b.WriteString("package p\n" + minigo.Prelude)
		p.Source(&b, "program")
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", b.String(), 0); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
	}
}
