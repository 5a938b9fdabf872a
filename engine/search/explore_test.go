package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/solve/solvers"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Exploration finds what fails in few attempts, and proves of the rest that
// nothing does.
func TestExplore(t *testing.T) {
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		want    search.Status
		kind    trace.OutcomeKind
		within  int // attempts judged
	}{
		"atomicity":                        {sim.LostUpdate(2, 1), search.Failing, trace.Panicked, 30},
		"order":                            {sim.UseBeforeInit, search.Failing, trace.Panicked, 30},
		"deadlock":                         {sim.LockOrder, search.Failing, trace.Deadlocked, 30},
		"lost signal":                      {sim.LostSignal, search.Failing, trace.Deadlocked, 30},
		"race of writes that nobody reads": {sim.HiddenRace(false), search.Failing, trace.Raced, 300},
		"race that changes no value":       {sim.HiddenRace(true), search.Failing, trace.Raced, 300},
		"add beside wait":                  {sim.LateAdd, search.Failing, trace.Raced, 30},
		"handed over":                      {sim.HandedOver, search.Clean, "", 30},
		"correct":                          {sim.Correct, search.Clean, "", 30},
	} {
		t.Run(name, func(t *testing.T) {
			opt := search.Options{Strategy: search.NewExplore(solvers.Default()), Schedules: 200}
			o := search.Run(context.Background(), sim.New(tc.program), 0, opt, nil)
			t.Logf("%s (%s) after %d", o.Status, o.Reason, o.Schedules)
			if o.Status != tc.want {
				t.Fatalf("%s (%s), want %s", o.Status, o.Reason, tc.want)
			}
			if tc.kind != "" && o.Findings[0].Signature.Kind != tc.kind {
				t.Errorf("found %s, want %s", o.Findings[0].Signature.Kind, tc.kind)
			}
			if o.Schedules > tc.within {
				t.Errorf("took %d attempts, want at most %d", o.Schedules, tc.within)
			}
		})
	}
}

// What no trace tells speaks against a proof, not against what is found.
func TestExploreOfBlindPrograms(t *testing.T) {
	for _, strategy := range []search.Strategy{
		search.NewExplore(solvers.Default()), search.NewAuto(1), search.NewFirst(search.NewExplore(solvers.Default())),
	} {
		opt := search.Options{Strategy: strategy, Schedules: 60, Blind: []string{"os.ReadFile"}}
		if o := search.Run(context.Background(), sim.New(sim.Correct), 0, opt, nil); o.Status != search.Searched {
			t.Errorf("%T: %s (%s), want searched", strategy, o.Status, o.Reason)
		}
	}
}

// What auto proposes does not depend on the number of workers, nor on whether a
// run or a plan is ready first.
func TestAutoIsDeterministic(t *testing.T) {
	for name, program := range map[string]func(*sim.Thread){"staircase": sim.Staircase, "racy": sim.Racy, "correct": sim.Correct, "lost update": sim.LostUpdate(2, 2)} {
		var want string
		for _, workers := range []int{1, 3, 8} {
			s := &proposals{Staged: search.NewAuto(3)}
			search.Run(ctx, jittery(program), 0, search.Options{Schedules: 80, Workers: workers, Strategy: s, StopAfter: 9, RaceExtra: 80}, nil)
			got := strings.Join(s.specs, "\n")
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d workers: %d attempts, others than with one", name, workers, len(s.specs))
			}
		}
	}
}

// proposals notes what is proposed.
type proposals struct {
	*search.Staged
	specs []string
}

func (p *proposals) Next(ctx context.Context, n int) (run.Spec, bool) {
	spec, ok := p.Staged.Next(ctx, n)
	if ok {
		p.specs = append(p.specs, fmt.Sprintf("%+v", spec))
	}
	return spec, ok
}

// A sum under a lock has many orders and few outcomes. Auto proves such a
// program within the schedules that people plan for a small test.
func TestAutoProvesSums(t *testing.T) {
	program := func(t *sim.Thread) {
		m, n, wg := t.Mutex(), t.Int(), t.WaitGroup(5)
		for i := range 5 {
			t.Go(func(t *sim.Thread) {
				t.Lock(m)
				t.Write(n, t.Read(n)+1<<i)
				t.Unlock(m)
				t.Done(wg)
			})
		}
		t.Join(wg)
		if t.Read(n) != 31 {
			t.Panic("lost")
		}
	}
	opt := search.Options{Strategy: search.NewAuto(1), Schedules: 400}
	if o := search.Run(context.Background(), sim.New(program), 0, opt, nil); o.Status != search.Clean {
		t.Errorf("%s (%s) after %d", o.Status, o.Reason, o.Schedules)
	}
}
