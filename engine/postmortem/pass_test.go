package postmortem

import (
	"context"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// fated gives runs an end by their number, from 1, and tells where goroutines stand if it
// is asked for.
type fated struct {
	run.Runner
	end  func(n int) trace.OutcomeKind
	made int
}

func (f *fated) Run(_ context.Context, s run.Spec) (*run.Result, error) {
	f.made++
	r := &run.Result{Trace: &trace.Trace{}}
	r.Outcome.Kind = f.end(f.made)
	if s.Stands {
		r.Stands = []run.Stand{{Reason: run.Failing}}
	}
	return r, nil
}

// A core is compared with a run that passed, never with one that failed as well: that
// can only be told of runs that say where goroutines stood.
func TestPassingRun(t *testing.T) {
	failed := Failed{Fails: func(r *run.Result) bool { return r.Outcome.Kind == trace.Panicked && len(r.Stands) > 0 }}
	for name, c := range map[string]struct {
		end  func(n int) trace.OutcomeKind
		want int // the run that is taken, 0 for none
	}{
		"all fail so": {func(int) trace.OutcomeKind { return trace.Panicked }, 0},
		"the third passes": {func(n int) trace.OutcomeKind {
			return [...]trace.OutcomeKind{trace.Panicked, trace.Deadlocked, trace.Leaked}[min(n, 3)-1]
		}, 3},
		"a server does not end": {func(int) trace.OutcomeKind { return trace.StepLimit }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, r := &Analysis{}, &fated{end: c.end}
			got, err := a.pass(t.Context(), failed, r)
			switch {
			case c.want == 0 && (err == nil || !strings.Contains(err.Error(), "none of 16 runs passed, 16 failed as the core's did")):
				t.Errorf("got %v, %v", got, err)
			case c.want > 0 && (err != nil || r.made != c.want):
				t.Errorf("run %d was taken: %v", r.made, err)
			}
		})
	}
}
