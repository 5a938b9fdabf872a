// Package switches looks for the schedule of a goal with the fewest context
// switches: the shortest explanation of a bug.
//
// What counts is what a run of the program is measured by (run.CountsOf). A
// switch is where another thread goes on. It is a preemption if the thread
// before could have gone on. A thread that can't parks in the queue of its
// object: the switch is free, and so it is after a thread's end. What a parked
// thread waited for is done by who makes it possible, as Go's runtime does it:
// the sender hands over the value, the last reader the lock. That is no switch.
// Only a sync.Mutex is taken by the woken thread itself, in a turn of its own.
// Fewer preemptions count before fewer switches (CHESS's order; Symbiosis §4.3
// counts switches only).
//
// Invariant: every schedule that is returned was performed by the Machine and
// meets the goal; minimal is said only if all schedules with fewer preemptions
// were looked at. Where the Machine can't tell what the runtime does (a reader
// behind a writer that may not have come to wait), the cheaper is taken, so that
// a bound holds of the program's runs.
package switches

import (
	"github.com/hocket-dev/hocket/engine/constraint"
)

// Count says how many switches and preemptions a valid order has, if a thread
// runs when its turn in the order comes, not before.
func Count(sys *constraint.System, order []constraint.EventID) (switches, preemptions int) {
	f, _ := perform(newProcessor(sys, constraint.NewMachine(sys)), order, nil)
	return f.switches, f.preemptions
}

// Turn is what a thread does between two switches.
type Turn struct {
	Thread constraint.ThreadID
	Events []constraint.EventID // that it performs itself
	// Parks is an operation that the thread tries last, and waits in; NoEvent if
	// it is stopped before its next one, or ends.
	Parks constraint.EventID
	// Ends: the thread does nothing more that is known, and runs on until it ends
	// or waits.
	Ends bool
}

// counter performs an order.
type counter struct {
	*processor
	found
	running constraint.ThreadID
}

// nobody runs before the first event.
const nobody constraint.ThreadID = -1

// perform performs an order on a machine that has performed nothing, counting.
// It gives up (false) where the order is not valid, and as soon as it can't be
// better than than any more.
func perform(p *processor, order []constraint.EventID, than *found) (*found, bool) {
	c := &counter{processor: p, found: found{order: order}, running: nobody}
	for i := 0; i < len(order); i++ {
		e, second := order[i], constraint.NoEvent
		t := c.sys.Events[e].Thread
		switch {
		case rendezvous(c.sys, order, i):
			second = order[i+1]
			c.meet(order, i)
			i++
		case c.parked[t] && c.handed(e):
			if c.do(e, constraint.NoEvent) != nil {
				return &c.found, false
			}
			continue
		default:
			c.switchTo(t)
		}
		if than != nil && c.preemptions > than.preemptions || c.do(e, second) != nil {
			return &c.found, false
		}
		if second != constraint.NoEvent && c.sys.Events[second].Thread == c.running {
			e = second
		}
		turn := &c.turns[len(c.turns)-1]
		turn.Events = append(turn.Events, e)
	}
	return &c.found, c.better(than)
}

// switchTo lets t run next.
func (c *counter) switchTo(t constraint.ThreadID) {
	if c.running == t {
		return
	}
	if r := c.running; r != nobody {
		c.switches++
		switch next := c.m.Next(r); {
		case len(next) == 0:
			c.turns[len(c.turns)-1].Ends = true
		case c.canGoOn(r):
			c.preemptions++
		default:
			c.parked[r] = true
			c.turns[len(c.turns)-1].Parks = next[0]
		}
	}
	c.running = t
	c.turns = append(c.turns, Turn{Thread: t, Parks: constraint.NoEvent})
}

// meet switches to the thread that completes the rendezvous at i: the one that
// comes second. If nobody waits yet, one of them has to come and park first.
func (c *counter) meet(order []constraint.EventID, i int) {
	a, b := c.sys.Events[order[i]].Thread, c.sys.Events[order[i+1]].Thread
	switch {
	case c.parked[a]:
		c.switchTo(b)
	case c.parked[b]:
		c.switchTo(a)
	case c.running == a || c.running != b && i+2 < len(order) && c.sys.Events[order[i+2]].Thread == b:
		c.switchTo(a)
		c.switchTo(b)
	default:
		c.switchTo(b)
		c.switchTo(a)
	}
}

// rendezvous says that a send of capacity 0 and its receive stand at i.
func rendezvous(sys *constraint.System, order []constraint.EventID, i int) bool {
	ev := &sys.Events[order[i]]
	return ev.Op == constraint.Send && sys.Objects[ev.Obj].Cap == 0 && i+1 < len(order)
}

// sideOf is the thread to whose block a rendezvous belongs: who runs if it takes
// part, else who goes on after it, else the sender.
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
