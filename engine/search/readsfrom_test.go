package search_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// attemptsUntil is how many schedules were tried until the first failure, data
// races left aside.
func attemptsUntil(t *testing.T, strategy string, seed uint64, program func(*sim.Thread), most int) int {
	t.Helper()
	o := search.Run(ctx, sim.New(program), 0, search.Options{Schedules: most, RaceExtra: most, Strategy: named(t, strategy, seed)}, nil)
	for _, f := range o.Findings {
		if f.Signature.Kind != trace.Raced {
			return f.Attempt + 1
		}
	}
	return most
}

// Bugs of many windows are found step by step, where sampling needs all at once.
func TestReadsFromFindsDeepBugs(t *testing.T) {
	const seeds, most = 7, 2200
	for name, program := range map[string]func(*sim.Thread){"staircase": sim.Staircase, "ExMCR": sim.ExMCR} {
		found := map[string]int{}
		for _, strategy := range []string{"reads-from", "pos"} {
			for seed := range uint64(seeds) {
				if attemptsUntil(t, strategy, seed, program, most) < most {
					found[strategy]++
				}
			}
		}
		if found["reads-from"] < 5 || found["pos"] > 2 {
			t.Errorf("%s: within %d attempts, %d seeds: %v", name, most, seeds, found)
		}
	}
}

// What POS finds soon takes no longer.
func TestReadsFromFindsEasyBugsAsSoonAsPOS(t *testing.T) {
	for name, program := range map[string]func(*sim.Thread){
		"order": sim.UseBeforeInit, "atomicity": sim.LostUpdate(2, 2), "deadlock": sim.LockOrder, "signal": sim.LostSignal,
	} {
		for seed := range uint64(10) {
			pos := attemptsUntil(t, "pos", seed, program, 400)
			if guided := attemptsUntil(t, "rf", seed, program, 800); guided > 2*pos+2 {
				t.Errorf("%s, seed %d: reads-from took %d, pos %d", name, seed, guided, pos)
			}
		}
	}
}

// Proposals depend on the seed and on the results observed, not on the number of
// workers nor on who finishes first.
func TestReadsFromIsDeterministic(t *testing.T) {
	for _, program := range []func(*sim.Thread){sim.Staircase, sim.Racy, sim.LeakOnTimeout(true)} {
		var want string
		for _, workers := range []int{1, 3, 8} {
			log := &logged{Strategy: search.NewReadsFrom(3)}
			search.Run(ctx, jittery(program), 0, search.Options{Schedules: 150, Workers: workers, Strategy: log, StopAfter: 9, RaceExtra: 150}, nil)
			got := fmt.Sprintf("%+v", log.specs)
			if want == "" {
				want = got
			}
			if got != want || len(log.specs) != 150 {
				t.Errorf("%d workers: %d attempts, others than with one", workers, len(log.specs))
			}
		}
	}
}

// logged notes what a strategy proposes, and asks twice.
type logged struct {
	search.Strategy
	specs []run.Spec
}

func (l *logged) Next(ctx context.Context, n int) (run.Spec, bool) {
	spec, ok := l.Strategy.Next(ctx, n)
	if again, _ := l.Strategy.Next(ctx, n); !reflect.DeepEqual(spec, again) {
		panic("Next changes something")
	}
	l.specs = append(l.specs, spec)
	return spec, ok
}

// Half of the attempts, then a quarter, are those of POS; the others start with
// segments of runs that were seen, and none does before there was a run to start
// from.
func TestReadsFromAttempts(t *testing.T) {
	s, pos, runner := search.NewReadsFrom(5), search.NewPOS(5), sim.New(sim.Staircase)
	known := map[uint64]bool{}
	fresh, from := [2]int{}, [2]int{}
	for n := range 400 {
		spec, _ := s.Next(ctx, n)
		same, _ := pos.Next(ctx, n)
		same.Pairs = true
		late := n / 200
		switch {
		case reflect.DeepEqual(spec, same):
			fresh[late]++
		default:
			from[late]++
			for _, seg := range spec.Schedule.Segments {
				if !known[seg.G] {
					t.Fatalf("attempt %d: nobody ran %d", n, seg.G)
				}
			}
		}
		r, err := runner.Run(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, seg := range r.Schedule.Segments {
			known[seg.G] = true
		}
		s.Observe(spec, r)
		pos.Observe(spec, r)
	}
	if fresh != [2]int{112, 50} || from != [2]int{88, 150} {
		t.Errorf("fresh %v, from runs %v", fresh, from)
	}
}

// Runs that fail are not gone on from: those attempts would fail as well.
func TestReadsFromLeavesFailuresAlone(t *testing.T) {
	s := search.NewReadsFrom(1)
	for n := range 300 {
		spec, _ := s.Next(ctx, n)
		if len(spec.Schedule.Segments) > 0 {
			t.Fatalf("attempt %d starts from a failure", n)
		}
		s.Observe(spec, &run.Result{
			Outcome:  trace.Outcome{Kind: trace.Panicked},
			Schedule: trace.Schedule{Segments: []trace.Segment{{G: 1, Until: 9}}},
			Pairs:    []run.ReadsFrom{{ID: uint64(n + 1), Times: 1, Segment: 1, Count: 1}},
		})
	}
}
