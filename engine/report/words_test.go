package report

import (
	"strings"
	"testing"
)

// What failed on the ordinary build, if too seldom to confirm the finding, is
// not said to need the access hooks.
func TestEvidenceDoesNotContradictItself(t *testing.T) {
	const hooks = "may not happen in production"
	all := Count{Runs: 100, Failed: 100}
	for _, c := range []struct {
		level          Level
		native, pinned *Count
		want, no       string
	}{
		{Controlled, &Count{Runs: 100, Failed: 90}, &Count{Runs: 20}, "happens on the ordinary build, 90 of 100 with the order enforced", hooks},
		{Controlled, &Count{Runs: 100}, &Count{Runs: 20}, "0 of 100 on the ordinary build", "happens on"},
		{Controlled, &Count{Runs: 100}, &Count{Runs: 20}, hooks, "only 0"},
		{Controlled, nil, &Count{Runs: 20, Failed: 3}, "3 of 20 compiled as for production", hooks},
		{Controlled, nil, nil, hooks, "ordinary"},
		{Native, &all, nil, "fails 100 of 100 on the ordinary build", hooks},
		{RaceProved, &Count{Runs: 100, Failed: 2}, nil, "happens on the ordinary build, 2 of 100", hooks},
	} {
		f := &Finding{Confirmed: c.level, Native: c.native, Pinned: c.pinned, Replay: all, SameEvents: 100}
		if got := f.Evidence(); !strings.Contains(got, c.want) || strings.Contains(got, c.no) {
			t.Errorf("%s, want %q and no %q", got, c.want, c.no)
		}
	}
}
