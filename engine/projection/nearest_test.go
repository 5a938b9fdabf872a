package projection

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// TestNearest: the failing run is compared with the passing run that differs least, also
// if the search for the cause found that, but not with one that lacks what the core is
// about.
func TestNearest(t *testing.T) {
	fx := load(t, "testdata/gatepath.txtar")
	near := fx.input.Pass
	lines := strings.SplitAfter(fx.files["pass"], "\n")
	far := build(t, strings.Join(lines[:len(lines)/3], ""), tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)})
	in := fx.input
	in.Pass, in.Passes = far, nil
	if got := Project(in); got.Pass != far {
		t.Fatal("the given passing run was not taken")
	}
	in.Cause = &cause.Cause{Late: far, Without: []*trace.Trace{near}}
	if got := Project(in); got.Pass != near || got.Counts != Project(fx.input).Counts {
		t.Errorf("the nearest passing run was not taken: %+v", got.Counts)
	}

	// The last event of the nearest run that the other lacks, and one that both have.
	both := cause.Match(far, near, cause.Counts).To
	last, shared := -1, -1
	for i, e := range near.Events {
		if cause.Counts(e.Op) {
			last = i
		}
	}
	for i, n := range both {
		if n >= 0 {
			shared = i
		}
	}
	in.Cause = &cause.Cause{Late: near, Core: []cause.Literal{{Before: 0, After: last, Late: true}}, Without: []*trace.Trace{fx.input.Fail}}
	in.Pass = near
	if a := newAnalysis(in); a.pass.Trace != near {
		t.Error("a run was taken that lacks a late event")
	}
	in.Cause = &cause.Cause{Late: far, Core: []cause.Literal{{Before: 0, After: shared, Late: true}}, Without: []*trace.Trace{near}}
	in.Pass = far
	if a := newAnalysis(in); a.pass.Trace != near || a.late[shared] != both[shared] {
		t.Error("a late event was not found in the nearest run")
	}
}

// TestCounts: locks that were handed on are no data flows; what comes in another order
// is counted by itself.
func TestCounts(t *testing.T) {
	got := Project(load(t, "testdata/strbuf.txtar").input).Counts
	if want := (report.Projection{Events: 7, EventsFull: 23, Dataflows: 1, DataflowsFull: 3, Branches: 1, Reordered: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
