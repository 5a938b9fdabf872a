package switches_test

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/switches"
	"pgregory.net/rapid"
)

// small draws a system of a few threads with a lock, a channel and a location.
func small(t *rapid.T) *constraint.System {
	sys := &constraint.System{Objects: []constraint.Object{{},
		{Kind: constraint.Mutex}, {Kind: constraint.Channel, Cap: rapid.IntRange(0, 1).Draw(t, "cap")}, {Kind: constraint.Location}}}
	for th := range constraint.ThreadID(rapid.IntRange(2, 3).Draw(t, "threads")) {
		sys.Threads = append(sys.Threads, constraint.Thread{})
		prev := constraint.NoEvent
		add := func(ev constraint.Event) {
			ev.Thread, ev.Prev, ev.Partner, ev.Child, ev.At = th, prev, constraint.NoEvent, -1, len(sys.Events)
			prev = constraint.EventID(len(sys.Events))
			sys.Events = append(sys.Events, ev)
		}
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				add(constraint.Event{Op: constraint.Lock, Obj: 1})
				add(constraint.Event{Op: constraint.Write, Obj: 3})
				add(constraint.Event{Op: constraint.Unlock, Obj: 1})
			case 1:
				add(constraint.Event{Op: constraint.Send, Obj: 2})
			case 2:
				add(constraint.Event{Op: constraint.Recv, Obj: 2, Outcome: constraint.Received})
			case 3:
				add(constraint.Event{Op: constraint.Write, Obj: 3})
			default:
				add(constraint.Event{Op: constraint.Read, Obj: 3})
			}
		}
	}
	return sys
}

// goal draws two events that happen in an order, one before which a thread
// stands, or a deadlock.
func goal(t *rapid.T, sys *constraint.System) constraint.Goal {
	event := rapid.IntRange(0, len(sys.Events)-1)
	a, b := constraint.EventID(event.Draw(t, "a")), constraint.EventID(event.Draw(t, "b"))
	var reads, writes []constraint.EventID
	for e := range sys.Events {
		switch sys.Events[e].Op {
		case constraint.Read:
			reads = append(reads, constraint.EventID(e))
		case constraint.Write:
			writes = append(writes, constraint.EventID(e))
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "goal") {
	case 4:
		if len(reads) == 0 || len(writes) == 0 {
			break
		}
		took := &constraint.Term{Op: constraint.Sym, Event: rapid.SampledFrom(reads).Draw(t, "read")}
		gave := &constraint.Term{Op: constraint.Const, Value: constraint.FreshOf(rapid.SampledFrom(writes).Draw(t, "write"))}
		return constraint.Goal{Include: []constraint.EventID{a}, Cond: []*constraint.Term{{Op: constraint.TEq, Args: []*constraint.Term{took, gave}}}}
	case 0:
		return constraint.Goal{Order: []constraint.Edge{{Before: a, After: b}}}
	case 1:
		return constraint.Goal{Stop: []constraint.EventID{a, b}}
	case 2:
		return constraint.Goal{Include: []constraint.EventID{a}, Blocked: []constraint.EventID{b}}
	}
	return constraint.Goal{Stuck: true}
}

// cheapest is a prefix of some schedule that reaches a goal with the fewest
// preemptions; all is false if there were too many to look at.
func cheapest(sys *constraint.System, g constraint.Goal) (least int, some *constraint.Schedule, all bool) {
	const most = 3000
	seen := map[string]bool{}
	enumerate.Schedules(sys, func(sch *constraint.Schedule) bool {
		for n := 0; n <= len(sch.Order); n++ {
			order := sch.Order[:n]
			if k := key(order); seen[k] {
				continue
			} else {
				seen[k] = true
			}
			prefix, why := solve.Accept(sys, order, g, nil)
			if why != "" {
				continue
			}
			if _, p := switches.Count(sys, order); some == nil || p < least {
				least, some = p, prefix
			}
		}
		return len(seen) < most
	})
	return least, some, len(seen) < most
}

// TestBeyond: an event is found to be within so many preemptions if and only if a
// schedule that performs it has no more. Either half of a rendezvous may be it.
func TestBeyond(t *testing.T) {
	halves := 0
	check := func(t *rapid.T) {
		sys := small(t)
		e := constraint.EventID(rapid.IntRange(0, len(sys.Events)-1).Draw(t, "event"))
		least, some, all := cheapest(sys, constraint.Goal{Include: []constraint.EventID{e}})
		if !all {
			return
		}
		if some != nil && sys.Events[e].Op == constraint.Recv && sys.Objects[2].Cap == 0 {
			halves++
		}
		for k := range 3 {
			short, exhausted := switches.Beyond(budget.New(context.Background(), 1<<20), sys, func(o constraint.EventID) bool { return o == e }, k)
			if (short == nil) != exhausted {
				t.Fatalf("%v, exhausted %v", short, exhausted)
			}
			switch {
			case short == nil && some != nil && k >= least:
				t.Fatalf("event %d is not found with %d preemptions, but by %v\n%v", e, k, some.Order, sys)
			case short != nil && (some == nil || k < least && sys.Objects[2].Cap > 0):
				t.Fatalf("event %d is found with %d preemptions by %v, which needs %d\n%v", e, k, short.Schedule.Order, least, sys)
			}
		}
	}
	for try := 0; halves == 0 && try < 10; try++ { // what is drawn is left to chance
		rapid.Check(t, check)
	}
	if halves == 0 {
		t.Error("no receive of a rendezvous was asked for")
	}
}

// TestMinimalIsTheLeastOfAll compares with every prefix of every schedule.
func TestMinimalIsTheLeastOfAll(t *testing.T) {
	reached := 0
	rapid.Check(t, func(t *rapid.T) {
		sys := small(t)
		g := goal(t, sys)
		least, some, all := cheapest(sys, g)
		if !all {
			return
		}
		for _, start := range []*constraint.Schedule{some, nil} {
			steps := budget.New(context.Background(), 1<<18)
			best := switches.Fewest(steps, sys, g, start)
			if steps.Err() != nil {
				continue // rare systems have more states: then nothing need be known
			}
			if (best != nil) != (some != nil) {
				t.Fatalf("from %v: found %v, want %v", start, best, some)
			}
			if best == nil {
				continue
			}
			reached++
			order := best.Schedule.Order
			if _, why := solve.Accept(sys, order, g, nil); why != "" {
				t.Fatalf("%v: %s", order, why)
			}
			if _, p := switches.Count(sys, order); p < best.Preemptions {
				t.Fatalf("%v: %d preemptions told, %d counted", order, best.Preemptions, p)
			}
			// A thread that comes early to wait for a rendezvous can save one, which
			// an order does not tell.
			if !best.Minimal || best.Preemptions > least || best.Preemptions < least && sys.Objects[2].Cap > 0 {
				t.Fatalf("%d preemptions (minimal %v) by %v, want %d by %v", best.Preemptions, best.Minimal, order, least, some.Order)
			}
		}
	})
	if reached < 50 {
		t.Errorf("only %d goals were reached", reached)
	}
}

func key(order []constraint.EventID) string {
	b := make([]byte, len(order))
	for i, e := range order {
		b[i] = byte(e)
	}
	return string(b)
}

// The goal can tell when a thread uses what no other thread does: to let another one
// go first may take a preemption.
func TestOrderOfAPrivateOperation(t *testing.T) {
	const none = constraint.NoEvent
	sys := &constraint.System{Threads: make([]constraint.Thread, 2),
		Objects: []constraint.Object{{}, {Kind: constraint.Mutex}, {Kind: constraint.Channel, Cap: 1}},
		Events: []constraint.Event{
			{Op: constraint.Send, Obj: 2, Prev: none, Partner: none, Child: -1},
			{Op: constraint.Lock, Obj: 1, Prev: 0, Partner: none, Child: -1, At: 1},
			{Op: constraint.Recv, Obj: 2, Thread: 1, Prev: none, Partner: none, Child: -1, Outcome: constraint.Received, At: 2},
		}}
	g := constraint.Goal{Order: []constraint.Edge{{Before: 2, After: 1}}}
	best := switches.Fewest(budget.Unlimited(context.Background()), sys, g, nil)
	if best == nil || best.Preemptions != 1 || !best.Minimal {
		t.Errorf("%+v, want 1 preemption, the fewest", best)
	}
}

// TestLargeSchedulesShrink: the planted bugs need two preemptions at most.
func TestLargeSchedulesShrink(t *testing.T) {
	for _, shape := range []gen.Shape{
		{Kind: gen.Locks, Events: 700, Seed: 1},
		{Kind: gen.Locks, Events: 500, Seed: 2, Histories: true},
		{Kind: gen.Pipeline, Events: 300, Seed: 3},
		{Kind: gen.Pipeline, Events: 500, Seed: 4, Cap: 4},
	} {
		in := gen.Make(shape)
		for _, g := range in.Goals {
			if !g.Reachable() {
				continue
			}
			start, why := solve.Accept(in.System, g.Witness(), g.Goal, nil)
			if why != "" {
				t.Fatal(why)
			}
			before, _ := switches.Count(in.System, start.Order)
			began := time.Now()
			best := switches.Fewest(budget.New(context.Background(), 4000), in.System, g.Goal, start)
			t.Logf("%v, %s: %d switches of %d events → %d (%d preemptions, minimal %v) of %d events in %v",
				shape, g.Name, before, len(start.Order), best.Switches, best.Preemptions, best.Minimal, len(best.Schedule.Order), time.Since(began))
			if _, why := solve.Accept(in.System, best.Schedule.Order, g.Goal, nil); why != "" {
				t.Error(why)
			}
			if best.Switches > before*5/6 { // of a rendezvous for each item most are needed
				t.Errorf("%v, %s: %d switches of %d are left", shape, g.Name, best.Switches, before)
			}
		}
	}
}
