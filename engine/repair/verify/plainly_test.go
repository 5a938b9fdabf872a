package verify

import (
	"slices"
	"testing"
	"time"
)

// TestSlower: a slow-down is told only where each of enough pairs shows it.
func TestSlower(t *testing.T) {
	of := func(with, without int) pair {
		return pair{time.Duration(with) * time.Millisecond, time.Duration(without) * time.Millisecond}
	}
	many := slices.Repeat([]pair{of(12, 5)}, timedPairs)
	for _, test := range []struct {
		name          string
		pairs         []pair
		before, after float64
	}{
		{"each pair", many, 5, 12},
		{"few pairs", many[:plainRuns], 0, 0},
		{"but one", append(slices.Clone(many[1:]), of(5, 6)), 0, 0},
		{"a little", slices.Repeat([]pair{of(101, 100)}, timedPairs), 0, 0},
		{"faster", slices.Repeat([]pair{of(5, 12)}, timedPairs), 0, 0},
		{"none", nil, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if before, after := slower(test.pairs); before != test.before || after != test.after {
				t.Errorf("got %v and %v ms, want %v and %v", before, after, test.before, test.after)
			}
		})
	}
}
