package enumerate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
)

// counter has two threads that read, then write one more than they read.
func counter() *constraint.System {
	sys := &constraint.System{
		Objects: []constraint.Object{{}, {Kind: constraint.Location, Name: "x"}},
		Threads: []constraint.Thread{{Name: "a"}, {Name: "b"}},
	}
	for t := range constraint.ThreadID(2) {
		r := constraint.EventID(len(sys.Events))
		more := &constraint.Term{Op: constraint.TAdd, Args: []*constraint.Term{
			{Op: constraint.Sym, Event: r}, {Op: constraint.Const, Value: constraint.Value{Bits: 1}}}}
		sys.Events = append(sys.Events,
			constraint.Event{Thread: t, Prev: constraint.NoEvent, Op: constraint.Read, Obj: 1, Partner: constraint.NoEvent, Child: -1, At: int(2 * t)},
			constraint.Event{Thread: t, Prev: r, Op: constraint.Write, Obj: 1, Val: more, Partner: constraint.NoEvent, Child: -1, At: int(2*t) + 1})
	}
	return sys
}

func TestSchedulesAreAllInterleavings(t *testing.T) {
	n, lost := 0, 0
	enumerate.Schedules(counter(), func(sch *constraint.Schedule) bool {
		n++
		if sch.Values[0] == sch.Values[2] {
			lost++
		}
		return true
	})
	if n != 6 || lost != 4 {
		t.Errorf("%d schedules, %d that lose an update, of 6 and 4", n, lost)
	}
}

func TestClausesDecideWhichStatesCount(t *testing.T) {
	sys := counter()
	all := constraint.Goal{Include: []constraint.EventID{1, 3}}
	before := func(a, b constraint.EventID) constraint.Clause { return constraint.Clause{{A: a, B: b}} }
	for _, c := range []struct {
		clauses []constraint.Clause
		want    bool
	}{
		{nil, true},
		{[]constraint.Clause{before(1, 2)}, true},
		{[]constraint.Clause{before(3, 0)}, true},
		{[]constraint.Clause{before(1, 2), before(3, 0)}, false},
		{[]constraint.Clause{{{From: true, A: 1, B: 2}}, {{Neg: true, A: 0, B: 3}}}, false},
		{[]constraint.Clause{{{From: true, A: 1, B: 2}}, before(0, 3)}, true},
		{[]constraint.Clause{{{From: true, A: 1, B: 2}}, {{From: true, A: 3, B: 0}}}, false},
		{[]constraint.Clause{{{From: true, Neg: true, A: constraint.NoEvent, B: 2}}}, true},
		{[]constraint.Clause{before(sys.End(), 3)}, false}, // it would not happen
	} {
		sch, err := enumerate.Reachable(context.Background(), sys, all, c.clauses, 1000)
		if err != nil || (sch != nil) != c.want {
			t.Errorf("%v: reachable %v (%v), want %v", c.clauses, sch != nil, err, c.want)
		}
		if sch == nil {
			continue
		}
		if _, why := solve.Accept(sys, sch.Order, all, c.clauses); why != "" {
			t.Errorf("%v: %s", c.clauses, why)
		}
	}
}

func TestCoresAreMinimal(t *testing.T) {
	ss, err := enumerate.New(1000).New(counter())
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Close()
	name := func(n string, a, b constraint.EventID) solve.Assumption {
		return solve.Assumption{Name: n, Clauses: []constraint.Clause{{{A: a, B: b}}}}
	}
	r, err := ss.Check(budget.Unlimited(context.Background()), constraint.Goal{Include: []constraint.EventID{1, 3}},
		name("no matter", 0, 2), name("a first", 1, 2), name("b first", 3, 0))
	if err != nil || r.Status != solve.Unsat || len(r.Core) != 2 {
		t.Errorf("%v, %v: want a core of two", r, err)
	}
}

func TestStopsAtItsLimitAndWhenCancelled(t *testing.T) {
	in := gen.Make(gen.Shape{Kind: gen.Locks, Events: 1000, Seed: 1})
	if _, err := enumerate.Reachable(context.Background(), in.System, in.Goals[1].Goal, nil, 1000); !errors.Is(err, enumerate.ErrLimit) {
		t.Errorf("%v, want the limit", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := enumerate.Reachable(ctx, in.System, in.Goals[1].Goal, nil, 1<<30)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Errorf("%v after %v, want the end of its time", err, time.Since(start))
	}
}

// TestGoalsOverUnusedReads: that two states differ in what a read took counts
// also if only the goal asks for it.
func TestGoalsOverUnusedReads(t *testing.T) {
	sys := counter()
	one := &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: 1}}
	sys.Events[1].Val, sys.Events[3].Val = one, one
	read := sys.Events[:2:2]
	sys.Events = append(read, constraint.Event{Thread: 1, Prev: constraint.NoEvent, Op: constraint.Write, Obj: 1, Val: one, Partner: constraint.NoEvent, Child: -1})
	goal := constraint.Goal{Include: []constraint.EventID{1}, Cond: []*constraint.Term{
		{Op: constraint.TEq, Args: []*constraint.Term{{Op: constraint.Sym, Event: 0}, one}}}}
	if sch, err := enumerate.Reachable(context.Background(), sys, goal, nil, 1000); sch == nil || err != nil {
		t.Errorf("no schedule in which the read takes 1: %v", err)
	}
}
