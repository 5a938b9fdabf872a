package hunt

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/search"
)

// A search without a proof owes a reason if it ended early, and an exploration
// always.
func TestUnproved(t *testing.T) {
	const spent = "all planned schedules were tried"
	for _, tc := range []struct {
		strategy      string
		made, planned int
		reason, want  string
	}{
		{"explore", 2, 2, "", spent},
		{"explore", 2, 2, "timers", "timers"},
		{"explore", 1, 2, "timers", "timers"},
		{"explore", 1, 2, "", ""},
		{"auto", 2, 2, "", ""},
		{"auto", 2, 2, "timers", ""},
		{"auto", 1, 2, "timers", "timers"},
		{"random", 2, 2, "", ""},
	} {
		if got := unproved(tc.strategy, tc.made, tc.planned, tc.reason); got != tc.want {
			t.Errorf("%s, %d of %d, %q: %q, want %q", tc.strategy, tc.made, tc.planned, tc.reason, got, tc.want)
		}
	}
}

// The remark on runs without an end says what the limits are, and what helps if
// none had one.
func TestLimitsAreNamed(t *testing.T) {
	const values = "(10s, 2000000 steps, 10m0s of virtual time)"
	for _, tc := range []struct {
		limits, hangs, schedules int
		begins, ends             string
	}{
		{0, 0, 5, "", ""},
		{0, 0, 0, "", ""},
		{1, 0, 1, "no run ended", values + ": give the program less work"},
		{1, 2, 5, "3 of 5 runs did not", values},
	} {
		got := limits(&search.Outcome{Limits: tc.limits, Hangs: tc.hangs, Schedules: tc.schedules})
		if !strings.HasPrefix(got, tc.begins) || !strings.HasSuffix(got, tc.ends) || (got == "") != (tc.ends == "") {
			t.Errorf("%d, %d of %d: %q", tc.limits, tc.hangs, tc.schedules, got)
		}
	}
}
