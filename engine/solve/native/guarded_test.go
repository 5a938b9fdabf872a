package native

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"pgregory.net/rapid"
)

// guardedSystem has threads that access two locations, mostly in regions of a
// lock: writes of sums, regions that are not ended, alternatives inside them.
func guardedSystem(t *rapid.T) *constraint.System {
	b := &builder{t: t, sys: &constraint.System{Objects: objects}}
	threads := rapid.IntRange(2, 3).Draw(t, "threads")
	b.sys.Threads = make([]constraint.Thread, threads)
	for th := range threads {
		b.guarded(constraint.ThreadID(th), 16/threads)
	}
	if err := b.sys.Validate(); err != nil {
		t.Fatal(err)
	}
	return b.sys
}

// guarded adds the regions of a thread.
func (b *builder) guarded(th constraint.ThreadID, events int) {
	prev := constraint.NoEvent
	put := func(ev constraint.Event) constraint.EventID {
		ev.Thread = th
		prev = constraint.EventID(b.add(ev, prev))
		return prev
	}
	access := func() {
		at := prev
		loc := constraint.ObjID(rapid.IntRange(1, 2).Draw(b.t, "location"))
		switch rapid.IntRange(0, 4).Draw(b.t, "access") {
		case 0:
			put(constraint.Event{Op: constraint.Write, Obj: loc, Val: b.small()})
		case 1:
			self := constraint.EventID(len(b.sys.Events))
			put(constraint.Event{Op: constraint.RMW, Obj: loc, Val: term(constraint.TAdd, symbol(self), b.small())})
		case 2:
			put(constraint.Event{Op: constraint.Read, Obj: loc})
		default:
			r := put(constraint.Event{Op: constraint.Read, Obj: loc})
			put(constraint.Event{Op: constraint.Write, Obj: loc, Val: term(constraint.TAdd, symbol(r), b.small())})
		}
		if at != prev && rapid.IntRange(0, 7).Draw(b.t, "branch") == 0 {
			prev = at // what comes now is an alternative
		}
	}
	for first := len(b.sys.Events); len(b.sys.Events)-first < events; {
		mode := rapid.IntRange(0, 5).Draw(b.t, "mode")
		switch mode {
		case 0:
			access()
			continue
		case 1:
			put(constraint.Event{Op: constraint.RLock, Obj: 3})
		default:
			put(constraint.Event{Op: constraint.Lock, Obj: 3})
		}
		for range rapid.IntRange(1, 2).Draw(b.t, "accesses") {
			access()
		}
		switch unlock := constraint.Unlock; {
		case rapid.IntRange(0, 9).Draw(b.t, "held") == 0:
		case mode == 1:
			put(constraint.Event{Op: constraint.RUnlock, Obj: 3})
		default:
			put(constraint.Event{Op: unlock, Obj: 3})
		}
	}
}

// compared is a goal that compares the values of two reads, or sums of them.
func compared(t *rapid.T, sys *constraint.System) constraint.Goal {
	var reads []constraint.EventID
	for e := range sys.Events {
		if op := sys.Events[e].Op; op == constraint.Read || op == constraint.RMW {
			reads = append(reads, constraint.EventID(e))
		}
	}
	if len(reads) < 2 {
		return constraint.Goal{}
	}
	a, b := symbol(rapid.SampledFrom(reads).Draw(t, "left")), symbol(rapid.SampledFrom(reads).Draw(t, "right"))
	if rapid.Bool().Draw(t, "sums") {
		c := symbol(rapid.SampledFrom(reads).Draw(t, "both"))
		a, b = term(constraint.TAdd, a, c), term(constraint.TAdd, c, b)
	}
	op := rapid.SampledFrom([]constraint.TermOp{constraint.TNe, constraint.TNe, constraint.TEq}).Draw(t, "compare")
	cond := term(op, a, b)
	if op == constraint.TEq && rapid.Bool().Draw(t, "not") {
		cond = term(constraint.TNot, cond)
	}
	return constraint.Goal{Cond: []*constraint.Term{cond}}
}

// TestGuardedAccesses compares what is said of lock regions, and of values that
// are equal, with enumeration.
func TestGuardedAccesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := guardedSystem(t)
		s := &session{t: newTheory(sys, explainer)}
		for range rapid.IntRange(1, 3).Draw(t, "questions") {
			goal := compared(t, sys)
			if rapid.IntRange(0, 3).Draw(t, "other goal") == 0 {
				goal = randomGoal(t, sys)
			}
			var assume []solve.Assumption
			if rapid.Bool().Draw(t, "assume") {
				assume = []solve.Assumption{{Name: "a", Clauses: randomClauses(t, sys, 2)}}
			}
			agree(t, s, sys, goal, nil, assume)
		}
	})
}
