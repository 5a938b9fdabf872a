package forest_test

import (
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/trace"
)

// copying is a run in which two goroutines each write an element, then copy the
// array, of which the main goroutine wrote another element before.
func copying() *trace.Trace {
	t := &trace.Trace{Objects: []trace.Object{
		{}, {ID: 1, Kind: trace.ObjHeap, Name: "alloc:array+0", Size: 8, Elem: "int"},
		{ID: 2, Kind: trace.ObjHeap, Name: "alloc:array+48", Size: 8, Elem: "int"},
		{ID: 3, Kind: trace.ObjHeap, Name: "alloc:array+0", Size: 64},
	}, Goroutines: []trace.Goroutine{
		{}, {ID: 1, Key: 1, Path: "0"}, {ID: 2, Key: 2, Path: "0.1", Parent: 1}, {ID: 3, Key: 3, Path: "0.2", Parent: 1},
	}}
	add := func(g trace.GID, op trace.Op, obj trace.ObjID, aux uint64, count uint32) {
		t.Events = append(t.Events, trace.Event{Seq: len(t.Events), G: g, Op: op, Obj: obj, Aux: aux, Count: count})
	}
	add(1, trace.OpStart, 0, 0, 0)
	add(1, trace.OpWrite, 1, 0, 0)
	add(1, trace.OpSpawn, 0, 2, 1)
	add(1, trace.OpSpawn, 0, 3, 2)
	for g := trace.GID(2); g <= 3; g++ {
		add(g, trace.OpStart, 0, 0, 0)
		add(g, trace.OpWrite, 2, 0, 1)
		add(g, trace.OpReadRange, 3, 64, 2)
		add(g, trace.OpEnd, 0, 0, 2)
	}
	add(1, trace.OpEnd, 0, 0, 2)
	return t
}

// A goroutine can't stop within one operation, also where that is several events
// of the model, between which another goroutine's may come.
func TestMovesKeepOperationsWhole(t *testing.T) {
	f := forest.New()
	if _, err := f.Add(copying()); err != nil {
		t.Fatal(err)
	}
	sys, front := f.System()
	write := func(thread constraint.ThreadID) constraint.EventID {
		for i, e := range sys.Events {
			if e.Thread == thread && e.Op == constraint.Write {
				return constraint.EventID(i)
			}
		}
		t.Fatalf("thread %d writes nothing\n%v", thread, sys)
		return 0
	}
	asked := 0
	for _, goal := range front {
		if goal.Failure || len(goal.Goal.Include) != 1 {
			continue
		}
		read := goal.Goal.Include[0]
		mine := sys.Events[read].Thread
		if sys.Events[read].Op != constraint.Read || sys.Events[sys.Events[read].Prev].Op != constraint.Read {
			continue // not the second part of a copy
		}
		asked++
		other := write(1) + write(2) - write(mine)
		var order []constraint.EventID
		for i, e := range sys.Events {
			if e.Thread == 0 && e.Op != constraint.End {
				order = append(order, constraint.EventID(i))
			}
		}
		order = append(order, before(sys, read)...)
		order = append(order, before(sys, other)...)
		order = append(order, other, read)
		moves := f.Moves(order, goal.Goal)
		counts := map[uint64][]uint32{}
		for _, m := range moves {
			counts[m.G] = append(counts[m.G], m.Count)
		}
		last := moves[len(moves)-1]
		if len(moves) < 3 || last.Count != 2 || moves[len(moves)-2].G == last.G || moves[len(moves)-2].Count != 1 || !slices.Contains(counts[last.G], 1) {
			t.Errorf("%s: %v, want a write each, then the copy", goal.Name, moves)
		}
	}
	if asked != 2 {
		t.Errorf("%d questions about copies, want 2\n%v", asked, sys)
	}
}

// before are the events ahead of one in its thread.
func before(sys *constraint.System, e constraint.EventID) (all []constraint.EventID) {
	for e = sys.Events[e].Prev; e != constraint.NoEvent; e = sys.Events[e].Prev {
		all = append(all, e)
	}
	slices.Reverse(all)
	return all
}
