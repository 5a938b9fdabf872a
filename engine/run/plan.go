package run

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Move is one step of a plan: goroutine G (trace.Goroutine.Key) runs until it
// has performed the event whose trace.Event.Count is Count, as far as it can.
//
// Count is a position in the goroutine's own history: it counts the switch
// points passed, and each operation has exactly one, whether the goroutine was
// blocked in it or not. So it is the same in every run in which the goroutine
// has done the same before. Events of equal Count are one block: the runtime
// does not switch inside it. Count 0 is what a goroutine does before its first
// switch point, its OpStart included. A go statement has its switch point after
// it, so that an OpSpawn belongs to the block of the operation before.
type Move struct {
	G     uint64
	Count uint32
	// Choice is the case that a select there takes, in the compiler's numbers;
	// NoChoice for a move that is not a select.
	Choice int
}

// NoChoice is the Choice of a move that is not a select.
const NoChoice = -1

// Plan is the schedule, its segments and choices, under which a program
// performs moves in this order. The order must be possible: each block comes
// after the goroutine's blocks before it, and its operation can be performed
// when its turn comes. Then no goroutine blocks on the way, and the run has the
// planned events at the planned positions. Two operations take effect only with
// the help of another goroutine: the send on an unbuffered channel, which parks
// until its receive, the next move, takes the value; and what follows an
// operation that parks in any case (Cond.Wait, Sleep) in the same block: a
// second move for a block, once it can go on, lets its goroutine finish it.
//
// Moves of one goroutine in a row are one segment. Time passes when the goroutine
// whose turn it is waits for it. After the plan the default rule of
// trace.Schedule goes on.
func Plan(moves []Move) trace.Schedule {
	var s trace.Schedule
	for _, m := range moves {
		c := trace.Choice{G: m.G, Count: m.Count, Case: m.Choice}
		if m.Choice >= 0 && !slices.Contains(s.Choices, c) {
			s.Choices = append(s.Choices, c)
		}
		if n := len(s.Segments); n > 0 && s.Segments[n-1].G == m.G {
			s.Segments[n-1].Until = max(s.Segments[n-1].Until, m.Count)
			continue
		}
		s.Segments = append(s.Segments, trace.Segment{G: m.G, Until: m.Count, Await: true})
	}
	return s
}
