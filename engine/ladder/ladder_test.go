package ladder

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// baseline returns a report's counts of runs without an order.
func baseline(r native.Report, runs, failed int) *native.Report {
	r.Baseline.Runs, r.Baseline.Failed = runs, failed
	return &r
}

// TestNative: a trial keeps what was counted, and an error is returned with it.
func TestNative(t *testing.T) {
	broken := errors.New("no space left on device")
	whole := native.Way{Order: native.WholeOrder}
	for _, c := range []struct {
		name   string
		report *native.Report
		err    error
		want   *Trial
		is     error
	}{
		{"all runs fail",
			baseline(native.Report{Runs: 20, Failed: 20, Played: 20, Output: "panic: lost", Sample: "ok"}, 2, 1), nil,
			&Trial{Count: report.Count{Runs: 20, Failed: 20}, Baseline: &report.Count{Runs: 2, Failed: 1}, Played: 20, Output: "panic: lost"}, nil},
		{"some runs do not play the order",
			baseline(native.Report{Runs: 20, Failed: 17, Played: 18, Output: "panic: lost", Sample: "ok", Way: whole, Broken: "main did not come to m.go:3"}, 2, 0), nil,
			&Trial{Count: report.Count{Runs: 20, Failed: 17}, Baseline: &report.Count{Runs: 2}, Played: 18, Output: "panic: lost", Way: whole,
				Note: "the order was enforced in 18 of 20 runs; in another, main did not come to m.go:3"}, nil},
		{"no run fails",
			&native.Report{Runs: 20, Played: 3, Sample: "ok", Way: whole}, nil,
			&Trial{Count: report.Count{Runs: 20}, Played: 3, Output: "ok", Way: whole, Note: "the order was enforced in 3 of 20 runs"}, nil},
		{"the order is impossible",
			&native.Report{Runs: 2, Way: whole, Broken: "main waited at m.go:1 until a comes to m.go:9, and nobody else could go on"}, nil,
			&Trial{Count: report.Count{Runs: 2}, Way: whole,
				Note: "the order could not be enforced: main waited at m.go:1 until a comes to m.go:9, and nobody else could go on"}, nil},
		{"a part of the order has no points",
			&native.Report{Runs: 20, Played: 20, Way: whole, Plan: &native.Plan{Dropped: []string{"what a does has no place"}}}, nil,
			&Trial{Count: report.Count{Runs: 20}, Way: whole, Note: "a part of the order could not be enforced: what a does has no place"}, nil},
		{"a part of the order has no points, and it fails",
			&native.Report{Runs: 20, Failed: 3, Played: 20, Way: whole, Plan: &native.Plan{Dropped: []string{"what a does has no place"}}}, nil,
			&Trial{Count: report.Count{Runs: 20, Failed: 3}, Played: 20, Way: whole, Note: "a part of the order could not be enforced: what a does has no place"}, nil},
		{"the order goes back and forth in a statement",
			&native.Report{Runs: 20, Played: 20, Way: whole, Plan: &native.Plan{Within: "m.go:7"}}, nil,
			&Trial{Count: report.Count{Runs: 20}, Way: whole, Note: "the order could not be enforced: others come between two steps of the one statement at m.go:7, where a point can't be"}, nil},
		{"on one processor it needs no order",
			&native.Report{Runs: 20, Failed: 19, Way: native.Way{OneProcessor: true}}, nil,
			&Trial{Count: report.Count{Runs: 20, Failed: 19}, Way: native.Way{OneProcessor: true}}, nil},
		{"an error after some runs",
			&native.Report{Runs: 7, Failed: 7, Played: 7, Output: "panic: lost"}, broken,
			&Trial{Count: report.Count{Runs: 7, Failed: 7}, Played: 7, Output: "panic: lost"}, broken},
		{"cancelled after some runs",
			&native.Report{Runs: 7, Failed: 6, Played: 6, Output: "panic: lost", Way: whole}, context.Canceled,
			&Trial{Count: report.Count{Runs: 7, Failed: 6}, Played: 6, Output: "panic: lost", Way: whole, Note: "the order was enforced in 6 of 7 runs"}, context.Canceled},
		{"it fails by itself",
			baseline(native.Report{Runs: 2, Failed: 2, Plain: true, Output: "panic: lost"}, 2, 2), nil,
			&Trial{Count: report.Count{Runs: 2, Failed: 2}, Baseline: &report.Count{Runs: 2, Failed: 2}, Plain: true, Output: "panic: lost"}, nil},
		{"no build with points", baseline(native.Report{}, 2, 1), broken, &Trial{Baseline: &report.Count{Runs: 2, Failed: 1}}, broken},
		{"an error before the first run", &native.Report{}, broken, nil, broken},
		{"an error and no report", nil, broken, nil, broken},
		{"no failure to show", nil, fmt.Errorf("wrapped: %w\nand more", native.ErrNoFailure),
			&Trial{Note: "wrapped: the run has no failure that an ordinary build could show and more"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			fail := &trace.Trace{}
			var asked native.Request
			s := stages{env: &target.Env{}, confirm: func(_ context.Context, r native.Request) (*native.Report, error) {
				asked = r
				return c.report, c.err
			}}
			got, err := s.Native(t.Context(), Evidence{Fail: fail}, 20)
			if !errors.Is(err, c.is) {
				t.Errorf("error %v, want %v", err, c.is)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if asked.Trace != fail || asked.Runs != 20 || asked.Baseline != 2 {
				t.Errorf("asked for %d runs and %d without an order, of trace %p, want %p", asked.Runs, asked.Baseline, asked.Trace, fail)
			}
		})
	}
}
