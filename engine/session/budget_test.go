package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
)

// TestABudgetThatEndsBeforeTheSearch is reported as such, with what to do.
func TestABudgetThatEndsBeforeTheSearch(t *testing.T) {
	_, err := Find(context.Background(), Options{Dir: t.TempDir(), Budget: time.Nanosecond}, nil)
	if !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "1ns") {
		t.Errorf("got %v", err)
	}
}

// TestShare: many findings in little time get what a look for fixes needs, while there is
// that much.
func TestShare(t *testing.T) {
	for _, test := range []struct {
		left time.Duration
		n    int
		want time.Duration
	}{
		{40 * time.Second, 10, 4 * time.Second},
		{4 * time.Second, 10, leastToFix},
		{leastToFix / 2, 1, leastToFix / 2},
	} {
		if got := share(test.left, test.n); got != test.want {
			t.Errorf("%v for %d: %v, want %v", test.left, test.n, got, test.want)
		}
	}
}

// TestNoRepairUnderAMemoryModel says so in words.
func TestNoRepairUnderAMemoryModel(t *testing.T) {
	const want = "repairs are not looked for under the memory model tso"
	if _, why := (&session{}).fixesOf(context.Background(), &report.Finding{Memory: "tso"}, time.Minute); why != want {
		t.Errorf("got %q, want %q", why, want)
	}
}
