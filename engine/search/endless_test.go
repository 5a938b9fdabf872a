package search_test

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A run that hit a limit and is more than a solver takes is not thought about:
// the exploration ends, and says why. A small one is no reason to end.
func TestEndlessRunEndsExploration(t *testing.T) {
	for name, tc := range map[string]struct {
		res  run.Result
		ends bool
	}{
		"steps": {run.Result{Outcome: trace.Outcome{Kind: trace.StepLimit}, Trace: &trace.Trace{Truncated: true}}, true},
		"hang":  {run.Result{Hang: true, Trace: &trace.Trace{Truncated: true}}, true},
		"small": {run.Result{Outcome: trace.Outcome{Kind: trace.StepLimit}, Trace: &trace.Trace{}}, false},
	} {
		s := named(t, search.Exploring, 0).(*search.Explore)
		spec, ok := s.Next(ctx, 0)
		if !ok {
			t.Fatal("no first attempt")
		}
		s.Observe(spec, &tc.res)
		if s.Waits() == tc.ends {
			t.Errorf("%s: goes on: %v", name, s.Waits())
		}
		proved, why := s.Proved()
		if proved || tc.ends && why != "the program is too large" {
			t.Errorf("%s: proved %v, %q", name, proved, why)
		}
	}
}
