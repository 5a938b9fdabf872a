package replay

import "github.com/hocket-dev/hocket/engine/trace"

// Move is one step of a plan: goroutine G (trace.Goroutine.Key) performs the
// event whose trace.Event.Count is Count.
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
}

// Plan is the schedule under which a program performs moves in this order. The
// order must be possible: each block comes after the goroutine's blocks before
// it, and its operation can be performed when its turn comes. Then nobody
// blocks on the way, and the run has the planned events at the planned
// positions. Two operations take effect only with somebody else's help: the
// send on an unbuffered channel, which parks until its receive, the next move,
// takes the value; and what follows an operation that parks in any case
// (Cond.Wait, Sleep) in the same block, which happens when the goroutine goes on.
//
// A block is performed at its first move, and later moves of it are left out,
// except a goroutine's last one, which lets it finish a block in which it
// parked. Time passes when the goroutine whose turn it is waits for it. After the plan the default rule of trace.Schedule goes on.
func Plan(moves []Move) []trace.Segment {
	last := map[uint64]int{}
	for i, m := range moves {
		last[m.G] = i
	}
	var segs []trace.Segment
	begun := map[uint64]uint32{} // the goroutine's latest block + 1
	for i, m := range moves {
		if m.Count < begun[m.G] && last[m.G] != i {
			continue
		}
		begun[m.G] = max(begun[m.G], m.Count+1)
		if n := len(segs); n > 0 && segs[n-1].G == m.G {
			segs[n-1].Until = max(segs[n-1].Until, m.Count)
			continue
		}
		segs = append(segs, trace.Segment{G: m.G, Until: m.Count, Await: true})
	}
	return segs
}
