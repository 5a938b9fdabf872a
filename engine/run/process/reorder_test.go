package process_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A possible order of a program's operations that was never run, planned, is the
// order that runs. Which goroutine goes on is drawn at random, sometimes one that
// stays as long as it can and one that comes last.
func TestPlanReorders(t *testing.T) {
	bin := buildPlans(t, "ops")
	// In these a goroutine does the same whatever it reads.
	for _, entry := range []string{
		"TestLocks", "TestRWLocks", "TestBuffered", "TestManySenders", "TestAtomics", "TestNested", "TestHot",
	} {
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			p := program(t, bin, entry)
			base := trace.Schedule{}
			if entry == "TestHot" {
				base.Hot = hotSites(t, p)
			}
			tr := full(t, p, run.Spec{Strategy: run.POS, Seed: 1, Schedule: base})
			same, _ := operations(tr)
			other := 0
			for seed := range uint64(3) {
				moves, want := reorder(t, tr, rand.New(rand.NewPCG(seed, 7)))
				if !slices.Equal(want, same) {
					other++
				}
				base.Segments = run.Plan(moves).Segments
				again := full(t, p, run.Spec{Strategy: run.Replay, Schedule: base})
				got, _ := operations(again)
				if comparePlan(t, want, got); t.Failed() {
					return
				}
			}
			if other == 0 {
				t.Error("all orders are the recorded one")
			}
		})
	}
}

// block is what a goroutine does between two switch points.
type block struct {
	move   run.Move
	name   performed
	events []trace.Event
}

// objects is a model of what the operations need: locks, channels, groups.
type objects struct {
	t       *trace.Trace
	writer  map[trace.ObjID]bool
	readers map[trace.ObjID]int
	count   map[trace.ObjID]int // values in a channel, a group's counter
	caps    map[trace.ObjID]int
	closed  map[trace.ObjID]bool
	born    map[trace.GID]bool
}

func (o *objects) possible(b block) bool {
	e := b.events[0]
	switch e.Op {
	case trace.OpStart:
		return o.born[e.G] || o.t.Goroutine(e.G).Parent == 0
	case trace.OpLock:
		return !o.writer[e.Obj] && o.readers[e.Obj] == 0
	case trace.OpRLock:
		return !o.writer[e.Obj]
	case trace.OpWGWait:
		return o.count[e.Obj] == 0
	case trace.OpSend:
		return o.count[e.Obj] < o.caps[e.Obj]
	case trace.OpRecv:
		if e.Value == 2 {
			return o.closed[e.Obj] && o.count[e.Obj] == 0
		}
		return o.count[e.Obj] > 0
	}
	return true
}

func (o *objects) perform(e trace.Event) {
	switch e.Op {
	case trace.OpSpawn:
		o.born[trace.GID(e.Aux)] = true
	case trace.OpLock, trace.OpUnlock:
		o.writer[e.Obj] = e.Op == trace.OpLock
	case trace.OpRLock:
		o.readers[e.Obj]++
	case trace.OpRUnlock:
		o.readers[e.Obj]--
	case trace.OpWGAdd, trace.OpWGDone:
		o.count[e.Obj] += int(int64(e.Value))
	case trace.OpClose:
		o.closed[e.Obj] = true
	case trace.OpSend:
		o.count[e.Obj]++
	case trace.OpRecv:
		if e.Value == 1 {
			o.count[e.Obj]--
		}
	}
}

// reorder draws a possible order of tr's blocks.
func reorder(t *testing.T, tr *trace.Trace, rng *rand.Rand) (moves []run.Move, ops []performed) {
	t.Helper()
	o := &objects{tr, map[trace.ObjID]bool{}, map[trace.ObjID]int{}, map[trace.ObjID]int{}, map[trace.ObjID]int{}, map[trace.ObjID]bool{}, map[trace.GID]bool{}}
	todo := blocks(tr, o)
	total := 0
	for _, bs := range todo {
		total += len(bs)
	}
	do := func(g trace.GID) {
		b := todo[g][0]
		todo[g] = todo[g][1:]
		for _, e := range b.events {
			o.perform(e)
		}
		moves, ops = append(moves, b.move), append(ops, b.name)
	}
	late := trace.GID(rng.IntN(len(tr.Goroutines))) // goes on only when nobody else can
	stay := rng.Float64()
	var current trace.GID
	for len(moves) < total {
		var can []trace.GID
		partner := map[trace.GID]trace.GID{}
		for g := range trace.GID(len(todo)) {
			if len(todo[g]) == 0 {
				continue
			}
			b := todo[g][0]
			if o.possible(b) {
				can = append(can, g)
			} else if r := receiver(todo, b, o); r != 0 {
				can, partner[g] = append(can, g), r
			}
		}
		if len(can) == 0 {
			t.Fatal("the model is stuck")
		}
		next := can[rng.IntN(len(can))]
		if slices.Contains(can, current) && rng.Float64() < stay {
			next = current
		}
		if next == late {
			next = can[rng.IntN(len(can))]
		}
		do(next)
		if r := partner[next]; r != 0 {
			do(r)
			next = r
		}
		current = next
	}
	return moves, ops
}

// receiver is who can take the value of an unbuffered send right away.
func receiver(todo [][]block, b block, o *objects) trace.GID {
	send := b.events[0]
	if send.Op != trace.OpSend || o.caps[send.Obj] != 0 {
		return 0
	}
	for g, bs := range todo {
		if len(bs) > 0 && bs[0].events[0].Op == trace.OpRecv && bs[0].events[0].Obj == send.Obj && bs[0].events[0].Value == 1 {
			return trace.GID(g)
		}
	}
	return 0
}

// blocks are the goroutines' blocks; o learns the channels' capacities.
func blocks(tr *trace.Trace, o *objects) [][]block {
	out := make([][]block, len(tr.Goroutines))
	for _, i := range tr.Linear() {
		e := tr.Events[i]
		if e.G == 0 || notMoved(e.Op) || isPlain(e.Op) && !slices.Contains(tr.Schedule.Hot, tr.Sites[e.Stack]) {
			continue
		}
		if e.Op == trace.OpSend || e.Op == trace.OpRecv {
			o.caps[e.Obj] = int(e.Aux >> 32)
		}
		g := tr.Goroutine(e.G)
		m := run.Move{G: g.Key, Count: e.Count, Choice: run.NoChoice}
		bs := out[e.G]
		if n := len(bs); n > 0 && bs[n-1].move == m {
			bs[n-1].events = append(bs[n-1].events, e)
			continue
		}
		out[e.G] = append(bs, block{m, performed{g.Path, e.Count, e.Op, tr.Object(e.Obj).Name}, []trace.Event{e}})
	}
	return out
}
