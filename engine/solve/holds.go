package solve

import "github.com/hocket-dev/hocket/engine/constraint"

// Placed is a schedule that clauses can be read in.
type Placed struct {
	sys   *constraint.System
	place []int32              // by event; after all others if it does not happen
	from  []constraint.EventID // by event: what a read or receive took its value from; NoEvent: the initial one
}

// Place reads a valid schedule. It takes time linear in the system.
func Place(sys *constraint.System, order []constraint.EventID) *Placed {
	p := &Placed{sys: sys, place: make([]int32, len(sys.Events)+1), from: make([]constraint.EventID, len(sys.Events))}
	for e := range p.place {
		p.place[e] = int32(len(order)) + 1
	}
	p.place[sys.End()] = int32(len(order))
	last := make([]constraint.EventID, len(sys.Objects))
	for o := range last {
		last[o] = constraint.NoEvent
	}
	sent := make([][]constraint.EventID, len(sys.Objects))
	for i, e := range order {
		p.place[e] = int32(i)
		ev := &sys.Events[e]
		switch ev.Op {
		case constraint.Read:
			p.from[e] = last[ev.Obj]
		case constraint.Write:
			last[ev.Obj] = e
		case constraint.RMW:
			p.from[e], last[ev.Obj] = last[ev.Obj], e
		case constraint.Send:
			sent[ev.Obj] = append(sent[ev.Obj], e)
		case constraint.Recv:
			p.from[e] = constraint.NoEvent
			if ev.Outcome == constraint.Received {
				p.from[e], sent[ev.Obj] = sent[ev.Obj][0], sent[ev.Obj][1:]
			}
		}
	}
	return p
}

// Happens says whether an event is in the schedule.
func (p *Placed) Happens(e constraint.EventID) bool { return p.place[e] < p.place[p.sys.End()] }

// Before says whether a comes before b, which holds of all that happens and of
// what does not; of two events that don't happen the order is open, and any
// literal about it holds.
func (p *Placed) Before(a, b constraint.EventID) bool {
	end := p.place[p.sys.End()]
	return p.place[a] < p.place[b] || p.place[a] > end && p.place[b] > end
}

// Lit says whether a literal holds.
func (p *Placed) Lit(l constraint.Lit) bool {
	if l.From {
		// What a read that does not happen takes is open too.
		return !p.Happens(l.B) || (p.from[l.B] == l.A) != l.Neg
	}
	if l.Neg {
		return p.Before(l.B, l.A)
	}
	return p.Before(l.A, l.B)
}

// Clause says whether a literal of the clause holds.
func (p *Placed) Clause(c constraint.Clause) bool {
	for _, l := range c {
		if p.Lit(l) {
			return true
		}
	}
	return false
}

// First gives a clause that does not hold, or nil.
func (p *Placed) First(clauses []constraint.Clause) constraint.Clause {
	for _, c := range clauses {
		if !p.Clause(c) {
			return c
		}
	}
	return nil
}
