package forest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/trace"
)

// begins is a run of main, that makes a timer if told; of a goroutine that the
// timer starts; and of one that this starts.
func begins(made bool) *trace.Trace {
	t := &trace.Trace{Sites: []string{""}, Objects: make([]trace.Object, 1), Goroutines: []trace.Goroutine{
		{}, {ID: 1, Key: 1, Path: "0"},
		{ID: 2, Key: 2, Path: "0.t1.1", Parent: 1, Index: 1<<31 + 1},
		{ID: 3, Key: 3, Path: "0.t1.1.1", Parent: 2, Index: 1},
	}}
	add := func(e trace.Event) {
		e.Seq = len(t.Events)
		t.Events = append(t.Events, e)
	}
	add(trace.Event{G: 1, Op: trace.OpStart})
	if made {
		add(trace.Event{G: 1, Op: trace.OpTimer, Aux: 1})
	}
	add(trace.Event{G: 2, Op: trace.OpStart})
	add(trace.Event{G: 2, Op: trace.OpSpawn, Aux: 3})
	add(trace.Event{G: 3, Op: trace.OpStart})
	return t
}

// A call on a connection speaks against proofs, and says what it is.
func TestNetworkIsNotProved(t *testing.T) {
	for _, op := range []trace.Op{trace.OpNetDial, trace.OpNetAccept, trace.OpNetRead, trace.OpNetWrite, trace.OpNetClose, trace.OpNetDeadline} {
		tr := begins(true)
		tr.Objects = append(tr.Objects, trace.Object{ID: 1, Name: "heap:a", Kind: trace.ObjHeap})
		tr.Events[1] = trace.Event{Seq: 1, G: 1, Op: op, Obj: 1, HasValue: true, Value: 3, Count: 1}
		f := forest.New()
		if _, err := f.Add(tr); err != nil {
			t.Fatal(err)
		}
		got, want := f.Incomplete(), "what the program sends over connections is not modelled"
		if !slices.Contains(got, want) {
			t.Errorf("%v: incomplete for %q, want %q", op, got, want)
		}
		for _, why := range got {
			if strings.HasPrefix(why, "an operation is not modelled") {
				t.Errorf("%v: %q", op, why)
			}
		}
	}
}

// A goroutine is a thread of the model if what started it is recorded, and one of
// a timer speaks against proofs in any case.
func TestThreads(t *testing.T) {
	for _, tc := range []struct {
		made    bool
		threads int
		doubts  []string
	}{
		{true, 3, []string{"the program uses timers"}},
		{false, 1, []string{"the program uses timers", "it is not known what started a goroutine"}},
	} {
		f := forest.New()
		if _, err := f.Add(begins(tc.made)); err != nil {
			t.Fatal(err)
		}
		if f.Threads() != tc.threads {
			t.Errorf("made %v: %d threads, want %d", tc.made, f.Threads(), tc.threads)
		}
		if got, want := strings.Join(f.Incomplete(), "; "), strings.Join(tc.doubts, "; "); got != want {
			t.Errorf("made %v: incomplete for %q, want %q", tc.made, got, want)
		}
		sys, _ := f.System()
		started := map[constraint.ThreadID]bool{0: true}
		for _, e := range sys.Events {
			if e.Op == constraint.Spawn {
				started[e.Child] = true
			}
		}
		if len(started) != len(sys.Threads) {
			t.Errorf("made %v: %d of %d threads are started by an event:\n%v", tc.made, len(started), len(sys.Threads), sys)
		}
	}
}
