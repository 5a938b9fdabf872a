package run

import (
	"cmp"
	"slices"
)

// ReadsFrom says that a read took its value from a write of another goroutine,
// or that an operation on a synchronisation object came after another
// goroutine's: such pairs distinguish schedules that matter (Wolff et al.,
// ASPLOS 2024).
type ReadsFrom struct {
	// ID is a hash of the two places, each with the role of its goroutine. It
	// means the same in all runs of one build.
	ID uint64
	// Times it was seen in the run, rounded down to a power of two at most
	// PairTimes.
	Times int
	// Segment and Count are where it was seen first: the first Segment segments
	// of Result.Schedule, the last of them until Count, are the shortest schedule
	// that gives it.
	Segment int
	Count   uint32
}

// PairTimes is the greatest ReadsFrom.Times.
const PairTimes = 8

// PairTimesOf rounds a number of times, at least 1, as ReadsFrom.Times is.
func PairTimesOf(n int) int {
	t := 1
	for t < PairTimes && 2*t <= n {
		t *= 2
	}
	return t
}

// SortPairs sorts by ID.
func SortPairs(p []ReadsFrom) {
	slices.SortFunc(p, func(a, b ReadsFrom) int { return cmp.Compare(a.ID, b.ID) })
}
