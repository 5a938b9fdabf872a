package report

import (
	"strings"
	"testing"
)

// Each sentence says what was shown, and none contradicts another.
func TestEvidence(t *testing.T) {
	const doubt = "may not happen in production"
	all := Count{Runs: 100, Failed: 100}
	ten := func(n int) *Count { return &Count{Runs: 10, Failed: n} }
	for _, c := range []struct {
		f        Finding
		want, no string
	}{
		{Finding{Confirmed: Controlled, Native: &Count{Runs: 100, Failed: 46}, Pinned: &Count{Runs: 20}, Played: 46, Baseline: ten(0)},
			"fails by itself in 0 of 10 plain runs of the ordinary build, replays 100 of 100, fails 46 of 100 on the ordinary build with the order enforced", "of 20"},
		{Finding{Confirmed: Controlled, Native: &Count{Runs: 100, Failed: 2}, Unplayed: 1}, "fails 2 of 100 on the ordinary build with the order tried, which was not enforced to its end in 1 of these", "order enforced"},
		{Finding{Confirmed: Controlled, Native: &Count{Runs: 100}, Pinned: &Count{Runs: 20}, Played: 100}, doubt, "fails"},
		{Finding{Confirmed: Controlled, Native: &Count{Runs: 100}, Pinned: &Count{Runs: 20}, Played: 0}, "could not be enforced on the ordinary build", doubt},
		{Finding{Confirmed: Controlled, Native: &Count{Runs: 100}, Played: 12}, "0 of the 12 runs on the ordinary build in which its order could be enforced", doubt},
		{Finding{Confirmed: Controlled, Native: &Count{Runs: 3}, Played: 3}, "0 of 3", doubt},
		{Finding{Confirmed: Controlled, Pinned: &Count{Runs: 20, Failed: 3}}, "3 of 20 compiled as for production", doubt},
		{Finding{Confirmed: Controlled, NativeNote: "native: the budget ended before it was tried"},
			"not tried on the ordinary build (native: the budget ended before it was tried)", doubt},
		{Finding{Confirmed: Native, Native: &all, Played: 100, Baseline: ten(1)}, "fails by itself in 1 of 10", doubt},
		{Finding{Confirmed: Native, Native: &all, OneProcessor: true, Baseline: ten(1)}, "fails 100 of 100 on the ordinary build with GOMAXPROCS=1", "order"},
		{Finding{Confirmed: Native, Native: &all, OneProcessor: true, NativeOrder: "schedule", Played: 100}, "with GOMAXPROCS=1 and the order enforced", doubt},
		{Finding{Confirmed: Native, Native: &all, NativeOrder: "core", Played: 100}, "with the needed part of its order enforced", doubt},
		{Finding{Confirmed: Native, Native: ten(8), Baseline: ten(8), NeedsNoOrder: true}, "fails by itself in 8 of 10 plain runs of the ordinary build, replays 100 of 100, needs no order there", "enforced"},
		{Finding{Confirmed: Native, Native: &Count{Runs: 100}, Baseline: ten(2)}, "its order could not be enforced", doubt},
		{Finding{Confirmed: RaceProved}, "a data race proved on the execution", "ordinary build"},
		{Finding{Confirmed: RaceProved, Schedule: Shape{Switches: 4000, Preemptions: 2410}}, "replays", "2410"},
		{Finding{Confirmed: RaceProved, Schedule: Shape{Switches: 4, Preemptions: 2}}, "2 preemptions (fewest found)", "proved)"},
	} {
		c.f.Replay, c.f.SameEvents = all, 100
		if got := c.f.Evidence(); !strings.Contains(got, c.want) || strings.Contains(got, c.no) {
			t.Errorf("%s, want %q and no %q", got, c.want, c.no)
		}
	}
}
