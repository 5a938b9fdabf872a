package forest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/trace"
)

// countdown is a context that is cancelled after its error was asked for a number
// of times, and counts how often it is asked for then.
type countdown struct {
	context.Context
	left, after int
}

func (c *countdown) Err() error {
	if c.left--; c.left >= 0 {
		return nil
	}
	c.after++
	return context.Canceled
}

// counting is a run in which two goroutines read and write one variable n times
// each.
func counting(n int) *trace.Trace {
	t := &trace.Trace{Objects: []trace.Object{{}, {ID: 1, Kind: trace.ObjGlobal, Name: "global:m.n", Size: 8, Elem: "int"}}, Sites: []string{""}, Goroutines: []trace.Goroutine{
		{}, {ID: 1, Key: 1, Path: "0"}, {ID: 2, Key: 2, Path: "0.1", Parent: 1}, {ID: 3, Key: 3, Path: "0.2", Parent: 1},
	}}
	count := map[trace.GID]uint32{}
	add := func(g trace.GID, op trace.Op, aux uint64) {
		e := trace.Event{Seq: len(t.Events), G: g, Op: op, Aux: aux, Count: count[g]}
		if op == trace.OpAtomicLoad || op == trace.OpAtomicStore {
			e.Obj, e.HasValue = 1, true
		}
		count[g]++
		t.Events = append(t.Events, e)
	}
	add(1, trace.OpStart, 0)
	add(1, trace.OpSpawn, 2)
	add(1, trace.OpSpawn, 3)
	add(2, trace.OpStart, 0)
	add(3, trace.OpStart, 0)
	for i := range 2 * n {
		g := trace.GID(2 + i%2)
		add(g, trace.OpAtomicLoad, 8)
		add(g, trace.OpAtomicStore, 8)
	}
	return t
}

// The making of a system of many events stops at the first check of a cancelled
// context, wherever that is.
func TestSystemEndsWithItsContext(t *testing.T) {
	f := forest.New()
	if _, err := f.Add(counting(2000)); err != nil {
		t.Fatal(err)
	}
	all := &countdown{Context: context.Background(), left: 1 << 30}
	if _, _, err := f.SystemContext(all); err != nil {
		t.Fatal(err)
	}
	n := 1<<30 - all.left
	if n < 500 {
		t.Fatalf("the context is checked %d times only", n)
	}
	for _, left := range []int{0, 1, n / 3, n / 2, n - 1} {
		ctx := &countdown{Context: context.Background(), left: left}
		if sys, _, err := f.SystemContext(ctx); !errors.Is(err, context.Canceled) || sys != nil {
			t.Errorf("cancelled at check %d: %v", left, err)
		}
		if ctx.after > 2 { // one by the loop, one for the error
			t.Errorf("cancelled at check %d, the context was checked %d times more", left, ctx.after-1)
		}
	}
}
