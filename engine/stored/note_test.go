package stored

import (
	"errors"
	"testing"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
)

// That no store waits is said whatever else there is to say.
func TestNoteOfAMemoryModel(t *testing.T) {
	for _, c := range []struct {
		note   string
		err    error
		cut    bool
		memory trace.Memory
		want   string
	}{
		{"", nil, false, trace.TSO, "no store waits at this level"},
		{"odd", nil, false, trace.TSO, "odd; no store waits at this level"},
		{"odd", errors.New("full"), false, trace.TSO, "ended after 3 of 9 runs: full; no store waits at this level"},
		{"odd", errors.New("full"), true, trace.PSO, "interrupted; no store waits at this level"},
		{"odd", errors.New("full"), true, trace.SC, "interrupted"},
	} {
		tr := &ladder.Trial{Note: c.note, Count: report.Count{Runs: 3}}
		if got := noteOf(tr, 9, c.err, c.cut, c.memory); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
