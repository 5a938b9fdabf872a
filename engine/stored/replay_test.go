package stored

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// watched are stages that have one program, and note what is run.
type watched struct {
	ladder.Stages
	program func(*sim.Thread)
	specs   []run.Spec
}

func (w *watched) Build(context.Context, target.Target, target.Flags) (run.Runner, error) {
	return spy{sim.New(w.program), w}, nil
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
	dir, st := moduleStore(t)
	testmodule.Write(t, filepath.Join(dir, "m_test.go"), "package m\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n")
	record := keptRecord("0badcafe")
	p := &watched{program: thirdCase}
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
	failing, err := sim.New(thirdCase).Run(t.Context(), run.Spec{Schedule: trace.Schedule{Choices: []trace.Choice{at}}})
	if err != nil || !failing.Failed() {
		t.Fatalf("%+v, %v", failing, err)
	}
	record.Signature = run.SignatureOf(failing).String()
	for _, tc := range []struct{ which, failed int }{{0, 2}, {1, 0}, {2, 0}} { // receives are numbered from the end
		at.Case = tc.which
		record.Schedule = trace.Schedule{
			Segments: []trace.Segment{{G: at.G, Until: 1<<32 - 1}, {G: 1<<64 - 1, Until: 3, Await: true}},
			Choices:  []trace.Choice{at, {G: 1<<64 - 1, Count: 7, Case: 1}},
		}
		if err := st.Put(record, nil, store.Texts{}); err != nil {
			t.Fatal(err)
		}
		a, err := Open(t.Context(), dir, record.Finding.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Locate(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.specs = nil
		res, err := a.replay(t.Context(), p, ReplayOptions{Runs: 2, Level: "controlled"}, func(progress.Update) {})
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
