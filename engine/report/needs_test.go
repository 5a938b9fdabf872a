package report

import (
	"testing"
	"time"
)

// What was not reached is taken to need what the others needed.
func TestNeeds(t *testing.T) {
	reached := func(status Status, spent, left int64) *Target {
		return &Target{Status: status, Searched: Spent{Attempts: 1, TotalMS: spent}, NeedsMS: left}
	}
	missed := &Target{Status: NotReached}
	for _, c := range []struct {
		all  []*Target
		want time.Duration
	}{
		{nil, 0},
		{[]*Target{missed}, 0}, // nobody knows
		{[]*Target{reached(Clean, 500, 0)}, 0},
		{[]*Target{reached(CutShort, 1000, 3000), reached(Failing, 2000, 0)}, 3 * time.Second},
		{[]*Target{reached(CutShort, 1000, 3000), reached(Failing, 2000, 0), missed, missed}, 3*time.Second + 6*time.Second},
	} {
		if got := (&Report{Targets: c.all}).Needs(); got != c.want {
			t.Errorf("%d targets: %v, want %v", len(c.all), got, c.want)
		}
	}
}
