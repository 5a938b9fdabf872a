package verify

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

// TestFewerGoroutines: a fix that starts fewer goroutines is told or rejected.
func TestFewerGoroutines(t *testing.T) {
	ran := func(least, most, fewest int) *work {
		return &work{runs: 5, spawns: [2]int{least, most}, fewest: fewest}
	}
	for _, tc := range []struct {
		name          string
		before, after *work
		rejected      bool
		told          bool
	}{
		{"as many", ran(3, 3, 1), ran(3, 3, -1), false, false},
		{"fewer on the way on which every run failed", ran(3, 3, 2), ran(2, 3, -1), false, true},
		{"fewer than any run", ran(3, 3, 2), ran(1, 3, -1), true, false},
		{"fewer in every run", ran(3, 3, 2), ran(2, 2, -1), true, false},
		{"no run failed", ran(3, 3, -1), ran(2, 3, -1), true, false},
		{"not always as many before", ran(2, 3, -1), ran(1, 3, -1), false, false},
	} {
		c := &check{fix: &report.Fix{}}
		why := c.less(tc.before, tc.after)
		told := len(c.fix.Tells) > 0 && strings.Contains(c.fix.Tells[0], "goroutines are started")
		if (why != "") != tc.rejected || told != tc.told {
			t.Errorf("%s: %q, tells %q", tc.name, why, c.fix.Tells)
		}
	}
}
