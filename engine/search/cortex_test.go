package search_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// mirror is a twin that is the program itself, or another one.
type mirror struct {
	*sim.Runner
	learnt int
}

func (m *mirror) Learn(context.Context, *run.Result) (run.Fit, error) {
	m.learnt++
	return run.Fit{Shared: 4, Modelled: 3, Branches: []run.Branch{{ID: 1}}}, nil
}

func (m *mirror) Play(ctx context.Context, s run.Spec) (*run.Result, run.Played, error) {
	r, err := m.Run(ctx, s)
	return r, run.Played{Work: 1000, Branches: []run.Branch{{ID: 1}, {ID: 2, Taken: true}}}, err
}

func (m *mirror) Real(r *run.Result) trace.Schedule { return r.Schedule }

func cortex(twin run.Twin, err error) search.Strategy {
	s, _ := search.Make("cortex", search.Config{Seed: 1, Twin: func(context.Context) (run.Twin, error) { return twin, err }})
	return s
}

// What fails in the model is the second attempt, after one run to start from.
func TestCortexRehearses(t *testing.T) {
	for name, program := range map[string]func(*sim.Thread){"exmcr": sim.ExMCR, "lostupdate": sim.LostUpdate(3, 3), "lostsignal": sim.LostSignal} {
		twin := &mirror{Runner: sim.New(program)}
		c := search.New(sim.New(program), search.Options{Strategy: cortex(twin, nil), Schedules: 100})
		c.Step(context.Background(), search.Slice{}, nil)
		o := c.Finish(context.Background(), search.Grace)
		if len(o.Findings) == 0 || o.Findings[0].Attempt != 1 {
			t.Errorf("%s: %s, %+v", name, o.Status, o.Findings)
			continue
		}
		from := c.Origin(&o.Findings[0])
		if from == nil || from.Started != 1 || from.Plays == 0 || from.Shared != 4 || from.Modelled != 3 {
			t.Errorf("%s: from %+v", name, from)
		} else if len(from.Flipped) != 1 || from.Flipped[0].ID != 2 {
			t.Errorf("%s: flipped %+v", name, from.Flipped)
		}
	}
}

// A model of another program costs some attempts; then the search goes on without it.
func TestCortexWithAWrongModel(t *testing.T) {
	twin := &mirror{Runner: sim.New(sim.LockOrder)}
	o := search.Run(context.Background(), sim.New(sim.LostUpdate(2, 2)), 0, search.Options{Strategy: cortex(twin, nil), Schedules: 400}, nil)
	if len(o.Findings) == 0 || o.Findings[0].Attempt > 60 {
		t.Errorf("%s: %+v", o.Status, o.Findings)
	}
}

func TestCortexWithoutAModel(t *testing.T) {
	o := search.Run(context.Background(), sim.New(sim.LostUpdate(2, 2)), 0, search.Options{Strategy: cortex(nil, errors.New("the sources do not compile")), Schedules: 200}, nil)
	if len(o.Findings) == 0 {
		t.Errorf("%s: nothing found", o.Status)
	}
	if o.NoTwin != "the sources do not compile" {
		t.Errorf("%q", o.NoTwin)
	}
}

// Equal seeds make equal attempts.
func TestCortexIsDeterministic(t *testing.T) {
	var attempts [2][]int
	for i := range attempts {
		twin := &mirror{Runner: sim.New(sim.ExMCR)}
		o := search.Run(context.Background(), sim.New(sim.ExMCR), 0, search.Options{Strategy: cortex(twin, nil), Schedules: 30, Workers: 1 + 3*i}, nil)
		for _, f := range o.Findings {
			attempts[i] = append(attempts[i], f.Attempt, len(f.Result.Schedule.Segments))
		}
	}
	if len(attempts[0]) == 0 || len(attempts[0]) != len(attempts[1]) || attempts[0][1] != attempts[1][1] {
		t.Error(attempts)
	}
}

// Auto rehearses beside its own attempts, and finds what those would take long for.
func TestAutoRehearses(t *testing.T) {
	program := func(t *sim.Thread) { sim.Staircase(t) }
	twin := &mirror{Runner: sim.New(program)}
	calls := 0
	s, err := search.Make("auto", search.Config{Seed: 3, Twin: func(context.Context) (run.Twin, error) { calls++; return twin, nil }})
	if err != nil {
		t.Fatal(err)
	}
	o := search.Run(context.Background(), sim.New(sim.LostUpdate(2, 2)), 0, search.Options{Strategy: s, Schedules: 100}, nil)
	if len(o.Findings) == 0 || calls != 0 {
		t.Errorf("an easy bug: %s, the model was asked for %d times", o.Status, calls)
	}
	s, _ = search.Make("auto", search.Config{Seed: 3, Twin: func(context.Context) (run.Twin, error) { calls++; return twin, nil }})
	o = search.Run(context.Background(), sim.New(func(t *sim.Thread) { t.Yield(); t.External() }), 0, search.Options{Strategy: s, Schedules: 500}, nil)
	if calls != 0 {
		t.Errorf("a program that is not explored: %s, the model was asked for %d times", o.Status, calls)
	}
}

// Runs to start from are learnt beside one of the strategy's own, and those that fail are
// the next attempts.
func TestCortexStartsFromRuns(t *testing.T) {
	program := sim.LostUpdate(3, 3)
	passing := func(specs ...run.Spec) func(context.Context) []*run.Result {
		return func(ctx context.Context) (runs []*run.Result) {
			for _, s := range specs {
				s.Record = run.Every
				r, err := sim.New(program).Run(ctx, s)
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, r)
			}
			return runs
		}
	}
	plain := run.Spec{Strategy: run.Replay}
	fails := run.Spec{Strategy: run.POS}
	for ; ; fails.Seed++ {
		if r, _ := sim.New(program).Run(context.Background(), fails); r.Failed() {
			break
		}
	}
	for _, c := range []struct {
		name              string
		passing           func(context.Context) []*run.Result
		attempt           int
		started, recorded int
		learnt            int
	}{
		{"two that pass", passing(plain, plain), 1, 3, 2, 3},
		{"one that fails", passing(fails), 1, 0, 0, 0},
		{"none", passing(), 1, 1, 0, 1},
		{"not asked for", nil, 1, 1, 0, 1},
	} {
		twin := &mirror{Runner: sim.New(program)}
		s, err := search.Make("cortex", search.Config{Seed: 1, Passing: c.passing, Twin: func(context.Context) (run.Twin, error) { return twin, nil }})
		if err != nil {
			t.Fatal(err)
		}
		campaign := search.New(sim.New(program), search.Options{Strategy: s, Schedules: 100})
		campaign.Step(context.Background(), search.Slice{}, nil)
		o := campaign.Finish(context.Background(), search.Grace)
		if len(o.Findings) == 0 || o.Findings[0].Attempt != c.attempt {
			t.Errorf("%s: %s, %+v", c.name, o.Status, o.Findings)
			continue
		}
		from := campaign.Origin(&o.Findings[0])
		if from == nil || from.Started != c.started || from.Recorded != c.recorded || twin.learnt != c.learnt {
			t.Errorf("%s: from %+v, %d learnt", c.name, from, twin.learnt)
		}
	}
}
