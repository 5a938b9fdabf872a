// Package switches looks for the schedule of a goal with the fewest context
// switches: the shortest explanation of a bug.
//
// A switch is where another thread goes on. It is a preemption if the thread
// before could have gone on, that is, if its next event is possible; a switch
// from a thread that blocks or has ended is free. The send and the receive of a
// rendezvous are one step of either thread. Fewer preemptions count before fewer
// switches (CHESS's order; Symbiosis §4.3 counts switches only).
//
// Invariant: every schedule that is returned was performed by the Machine and
// meets the goal; minimal is said only if all schedules with fewer preemptions
// were looked at.
package switches

import (
	"github.com/hocket-dev/hocket/engine/constraint"
)

// Count says how many switches and preemptions a valid order has.
func Count(sys *constraint.System, order []constraint.EventID) (switches, preemptions int) {
	f, _ := perform(sys, constraint.NewMachine(sys), order, nil)
	return f.switches, f.preemptions
}

// perform performs an order on a machine that has performed nothing, counting.
// It gives up (false) where the order is not valid, and as soon as it can't be
// better than than any more.
func perform(sys *constraint.System, m *constraint.Machine, order []constraint.EventID, than *found) (*found, bool) {
	f := &found{order: order}
	running := nobody
	for i := 0; i < len(order); i++ {
		t := sys.Events[order[i]].Thread
		pair := rendezvous(sys, order, i)
		if pair {
			t = sideOf(sys, order, i, running)
		}
		if running != nobody && t != running {
			f.switches++
			if canGoOn(m, running) {
				f.preemptions++
			}
			if than != nil && f.preemptions > than.preemptions {
				return f, false
			}
		}
		running = t
		if m.Perform(order[i]) != nil {
			return f, false
		}
		if pair {
			i++
			if m.Perform(order[i]) != nil {
				return f, false
			}
		}
	}
	return f, f.better(than)
}

// nobody runs before the first event.
const nobody constraint.ThreadID = -1

// canGoOn says that the object of thread t's next event permits it.
func canGoOn(m *constraint.Machine, t constraint.ThreadID) bool {
	for _, e := range m.Next(t) {
		if m.Possible(e) {
			return true
		}
	}
	return false
}

// rendezvous says that a send of capacity 0 and its receive stand at i.
func rendezvous(sys *constraint.System, order []constraint.EventID, i int) bool {
	ev := &sys.Events[order[i]]
	return ev.Op == constraint.Send && sys.Objects[ev.Obj].Cap == 0 && i+1 < len(order)
}

// sideOf is the thread that performs a rendezvous: who runs if it takes part,
// else who goes on after it, else the sender.
func sideOf(sys *constraint.System, order []constraint.EventID, i int, running constraint.ThreadID) constraint.ThreadID {
	a, b := sys.Events[order[i]].Thread, sys.Events[order[i+1]].Thread
	switch {
	case running == a || running == b:
		return running
	case i+2 < len(order) && sys.Events[order[i+2]].Thread == b:
		return b
	}
	return a
}
