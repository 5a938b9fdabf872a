package native

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"pgregory.net/rapid"
)

// TestCoupledVariables: threads change two variables together under a lock, but
// for some that forget one, change one by another number or take no lock; a
// reader compares the two, in the goal or in a condition of its own. The answers
// are compared with enumeration.
func TestCoupledVariables(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		rare := func(what string) bool { return rapid.IntRange(0, 11).Draw(t, what) == 0 }
		b := &builder{t: t, sys: &constraint.System{Objects: append([]constraint.Object(nil), objects...)}}
		if !rare("other value") {
			b.sys.Objects[2].Init = b.sys.Objects[1].Init
		}
		b.sys.Threads = make([]constraint.Thread, rapid.IntRange(2, 3).Draw(t, "threads"))
		var left, right constraint.EventID
		for th := range b.sys.Threads {
			prev := constraint.NoEvent
			put := func(ev constraint.Event) constraint.EventID {
				ev.Thread = constraint.ThreadID(th)
				prev = constraint.EventID(b.add(ev, prev))
				return prev
			}
			update := func(loc constraint.ObjID, by uint64) {
				r := put(constraint.Event{Op: constraint.Read, Obj: loc})
				put(constraint.Event{Op: constraint.Write, Obj: loc,
					Val: term(constraint.TAdd, symbol(r), &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: by}})})
			}
			for range 1 + th%2 {
				bare := rare("no lock")
				if !bare {
					put(constraint.Event{Op: constraint.Lock, Obj: 3})
				}
				if th == 0 {
					if rare("own update") {
						update(1, 1)
					}
					left = put(constraint.Event{Op: constraint.Read, Obj: 1})
					right = put(constraint.Event{Op: constraint.Read, Obj: constraint.ObjID(2 - rapid.IntRange(0, 1).Draw(t, "same"))})
				} else {
					by := rapid.Uint64Range(1, 2).Draw(t, "by")
					update(1, by)
					if rare("other number") {
						by = 3 - by
					}
					if !rare("forgotten") {
						update(2, by)
					}
				}
				if !bare {
					put(constraint.Event{Op: constraint.Unlock, Obj: 3})
				}
			}
		}
		cond := []*constraint.Term{term(constraint.TNe, symbol(left), symbol(right))}
		goal := constraint.Goal{Cond: cond}
		if rapid.Bool().Draw(t, "own condition") {
			goal = constraint.Goal{Include: []constraint.EventID{right}}
			b.sys.Events[right].Cond = cond
		}
		s := &session{t: newTheory(b.sys, explainer)}
		agree(t, s, b.sys, goal, nil, nil)
		if s.t.equals.lits[ordered(left, right)] == always {
			proved++
		}
	})
	if proved == 0 {
		t.Error("nothing was proved by induction")
	}
}
