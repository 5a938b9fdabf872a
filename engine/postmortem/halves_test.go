package postmortem

import (
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

// The failing goroutine is stopped where it holds no lock. Another one that comes later
// in the passing run is stopped between two writes, each under the lock: those of what is
// seldom written come before those of a counter.
func TestHalves(t *testing.T) {
	tr := &trace.Trace{
		Goroutines: []trace.Goroutine{{}, {ID: 1, Path: "0", Key: 10}, {ID: 2, Parent: 1, Key: 20}, {ID: 3, Parent: 1, Key: 30}},
		Objects:    []trace.Object{{}, {ID: 1, Addr: 0x100, Size: 8}, {ID: 2, Addr: 0x200, Size: 8}, {ID: 3, Addr: 0x300, Size: 8}, {ID: 4, Addr: 0x400, Size: 8}},
		Stacks:     [][]trace.Frame{nil}, Sites: []string{""},
	}
	const x, y, mu, calls = 1, 2, 3, 4
	count := map[trace.GID]uint32{}
	add := func(g trace.GID, op trace.Op, obj trace.ObjID, aux uint64) {
		if op != trace.OpStart && op != trace.OpRead && op != trace.OpWrite {
			count[g]++
		}
		tr.Events = append(tr.Events, trace.Event{Seq: len(tr.Events), G: g, Op: op, Obj: obj, Count: count[g], Aux: aux})
	}
	section := func(g trace.GID, op trace.Op, obj trace.ObjID) {
		add(g, trace.OpLock, mu, 0)
		add(g, op, obj, 8)
		add(g, trace.OpUnlock, mu, 0)
	}
	add(1, trace.OpSpawn, 0, 2)
	add(1, trace.OpSpawn, 0, 3)
	add(2, trace.OpStart, 0, 0)
	section(2, trace.OpWrite, calls)
	section(2, trace.OpRead, x)
	section(2, trace.OpRead, y)
	aligned := len(tr.Events) - 2
	add(2, trace.OpEnd, 0, 0)
	add(3, trace.OpStart, 0, 0)
	for range 3 {
		section(3, trace.OpWrite, calls)
	}
	section(3, trace.OpWrite, x)
	half := count[3]
	section(3, trace.OpWrite, y)
	add(3, trace.OpEnd, 0, 0)
	tr.Schedule.Segments = []trace.Segment{{G: 10, Until: 2}, {G: 20, Until: count[2]}, {G: 30, Until: count[3]}}
	p := newPlanner(tr, aligned, []Difference{{addr: 0x100, size: 8}, {addr: 0x200, size: 8}, {addr: 0x400, size: 8}}, false)
	got := p.schedules(Both, 40)

	stops := func(s trace.Schedule) uint32 { return s.Segments[1].Until }
	firstLocked := slices.IndexFunc(got, func(s trace.Schedule) bool { return len(s.Segments) == 3 && stops(s)%2 == 1 })
	lastFree := 0
	for i, s := range got {
		if len(s.Segments) == 3 && s.Segments[2].G == 30 && stops(s)%2 == 0 {
			lastFree = i
		}
	}
	if firstLocked >= 0 && firstLocked < lastFree {
		t.Errorf("schedule %d stops under the lock, %d does not", firstLocked, lastFree)
	}
	want := []trace.Segment{{G: 30, Until: half}, {G: 20, Until: 1<<32 - 1}}
	at := slices.IndexFunc(got, func(s trace.Schedule) bool {
		return len(s.Segments) == 4 && stops(s)%2 == 0 && slices.Equal(s.Segments[2:], want)
	})
	counters := slices.IndexFunc(got, func(s trace.Schedule) bool {
		return len(s.Segments) == 4 && s.Segments[2].G == 30 && s.Segments[2].Until < half-2
	})
	if at < 0 || counters >= 0 && counters < at {
		t.Errorf("stopped by halves in schedule %d, after a counter in %d, of %d", at, counters, len(got))
	}
}
