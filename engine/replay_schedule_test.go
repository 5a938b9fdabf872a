package engine

import (
	"context"
	"reflect"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// watched are stages that note what is run.
type watched struct {
	*played
	specs []run.Spec
}

func (w *watched) Build(ctx context.Context, t target.Target, f target.Flags) (run.Runner, error) {
	r, err := w.played.Build(ctx, t, f)
	return spy{r, w}, err
}

type spy struct {
	run.Runner
	of *watched
}

func (s spy) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	s.of.specs = append(s.of.specs, spec)
	return s.Runner.Run(ctx, spec)
}

// thirdCase fails if its select receives from the third channel.
func thirdCase(t *sim.Thread) {
	var cases []sim.Case
	for range 3 {
		c := t.Chan(1)
		t.Send(c, 0)
		cases = append(cases, sim.RecvCase(c))
	}
	which, _, _ := t.Select(false, cases...)
	t.Assert(which != 2, "the third")
}

// What the schedule of a stored finding says of selects and of time that passes
// is what its replays are asked for.
func TestReplaysPlayChoicesAndAwaits(t *testing.T) {
	dir := module(t, "TestBug")
	p := &watched{played: &played{rates: [2]int{100, 100}, programs: map[string]func(*sim.Thread){"TestBug": thirdCase}}}
	found := findWith(t, t.Context(), p.played, FindOptions{Dir: dir, Schedules: 300, Seed: 1})
	if len(found.Findings) != 1 {
		t.Fatalf("%d findings, want 1", len(found.Findings))
	}
	id := found.Findings[0].ID
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	record, err := st.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := sim.New(thirdCase).Run(t.Context(), run.Spec{Record: run.Full})
	if err != nil {
		t.Fatal(err)
	}
	var at trace.Choice
	for _, e := range plain.Trace.Events {
		if e.Op == trace.OpSelect {
			at = trace.Choice{G: plain.Trace.Goroutine(e.G).Key, Count: e.Count}
		}
	}
	for _, tc := range []struct{ which, failed int }{{0, 2}, {1, 0}, {2, 0}} { // receives are numbered from the end
		at.Case = tc.which
		record.Schedule = trace.Schedule{
			Segments: []trace.Segment{{G: at.G, Until: 1<<32 - 1}, {G: 1<<64 - 1, Until: 3, Await: true}},
			Choices:  []trace.Choice{at, {G: 1<<64 - 1, Count: 7, Case: 1}},
		}
		if err := st.Put(record, nil, store.Texts{}); err != nil {
			t.Fatal(err)
		}
		a, err := openAgain(t.Context(), dir, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.locate(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.specs = nil
		res, err := a.replay(t.Context(), p, ReplayOptions{Runs: 2, Level: "controlled"}, func(Update) {})
		if err != nil {
			t.Fatal(err)
		}
		if res.Count.Runs != 2 || res.Count.Failed != tc.failed {
			t.Errorf("case %d: failed %d of %d, want %d", tc.which, res.Count.Failed, res.Count.Runs, tc.failed)
		}
		for _, spec := range p.specs {
			if !reflect.DeepEqual(spec.Schedule, record.Schedule) {
				t.Errorf("case %d: asked for %+v, want %+v", tc.which, spec.Schedule, record.Schedule)
			}
		}
	}
}
