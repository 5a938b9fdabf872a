package search_test

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// What fails is predicted from runs that pass, and happens when it is tried.
func TestPredict(t *testing.T) {
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		kind    trace.OutcomeKind // "" nothing is there
	}{
		"hidden race": {sim.HiddenRace(false), trace.Raced},
		"lock order":  {sim.LockOrder, trace.Deadlocked},
		"correct":     {sim.Correct, ""},
	} {
		t.Run(name, func(t *testing.T) {
			opt := search.Options{Strategy: search.NewPredict(search.NewPOS(1)), Schedules: 6}
			o := search.Run(context.Background(), sim.New(tc.program), 0, opt, nil)
			t.Logf("%s after %d: %+v, %v", o.Status, o.Schedules, o.Foresight, o.Findings)
			if tc.kind == "" {
				if o.Predicted != 0 || len(o.Findings) > 0 {
					t.Errorf("predicted %d, found %v; want nothing", o.Predicted, o.Findings)
				}
				return
			}
			if len(o.Findings) == 0 || o.Findings[0].Signature.Kind != tc.kind {
				t.Fatalf("found %v, want %s", o.Findings, tc.kind)
			}
			if o.Happened == 0 || o.Happened > o.Predicted {
				t.Errorf("predicted %d of which %d happened", o.Predicted, o.Happened)
			}
		})
	}
}
