// Package enumerate looks at all interleavings of a small system by performing
// them on constraint's Machine: the oracle that solvers are tested against, and
// a proof where nothing is found. States that were seen before are not entered
// again.
//
// Invariant: what it says is what the Machine says; it knows no rule itself.
package enumerate

import (
	"context"
	"errors"
	"math/bits"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
)

// ErrLimit is the error of a system with more states than were allowed.
var ErrLimit = errors.New("more states than allowed")

// Schedules visits every schedule that can't go on, until visit returns false.
// There are exponentially many.
func Schedules(sys *constraint.System, visit func(*constraint.Schedule) bool) {
	schedules(sys, constraint.NewMachine(sys), visit)
}

func schedules(sys *constraint.System, m *constraint.Machine, visit func(*constraint.Schedule) bool) bool {
	last := true
	for t := range sys.Threads {
		for _, e := range m.Next(constraint.ThreadID(t)) {
			if m.Perform(e) != nil {
				continue
			}
			last = false
			more := schedules(sys, m, visit)
			m.Undo()
			if !more {
				return false
			}
		}
	}
	return !last || m.Open() != constraint.NoEvent || visit(m.Schedule())
}

// States visits every state once, until visit returns false. States that differ
// only in the order of the events before them are one, except in the order of
// the watched pairs and in whom watched reads took from. The error is ErrLimit
// after limit states, or the context's.
func States(ctx context.Context, sys *constraint.System, watch Watch, limit int, visit func(*constraint.Machine) bool) error {
	w := &walk{
		ctx: ctx, sys: sys, watch: watch, limit: limit, visit: visit,
		m: constraint.NewMachine(sys), seen: map[state]struct{}{}, place: make([]int32, len(sys.Events)),
	}
	w.from(1)
	return w.err
}

// Watch is what belongs to a state beside the Machine's own.
type Watch struct {
	Pairs []constraint.Edge
	Reads []constraint.EventID
}

// state is the Machine's key and what is watched.
type state struct {
	key     [2]uint64
	watched uint64
}

type walk struct {
	ctx   context.Context
	sys   *constraint.System
	watch Watch
	limit int
	visit func(*constraint.Machine) bool
	m     *constraint.Machine
	seen  map[state]struct{}
	place []int32 // by event: when it was performed, from 1; 0: it was not
	err   error
}

// from visits the current state and what follows; false: stop.
func (w *walk) from(depth int32) bool {
	at := state{w.m.Key(), w.watched()}
	if _, known := w.seen[at]; known {
		return true
	}
	if len(w.seen) >= w.limit {
		w.err = ErrLimit
		return false
	}
	if len(w.seen)%256 == 0 {
		if w.err = w.ctx.Err(); w.err != nil {
			return false
		}
	}
	w.seen[at] = struct{}{}
	if !w.visit(w.m) {
		return false
	}
	for t := range w.sys.Threads {
		for _, e := range w.m.Next(constraint.ThreadID(t)) {
			if w.m.Perform(e) != nil {
				continue
			}
			w.place[e] = depth
			more := w.from(depth + 1)
			w.place[e] = 0
			w.m.Undo()
			if !more {
				return false
			}
		}
	}
	return true
}

// watched is a hash of the order of the pairs so far and of the reads.
func (w *walk) watched() uint64 {
	h := uint64(0)
	mix := func(n uint64) {
		hi, lo := bits.Mul64(h^n^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		h = hi ^ lo
	}
	for _, p := range w.watch.Pairs {
		a, b := w.place[p.Before], w.place[p.After]
		switch {
		case a == 0 && b == 0:
			mix(0)
		case a != 0 && (b == 0 || a < b):
			mix(1)
		default:
			mix(2)
		}
	}
	for _, r := range w.watch.Reads {
		if w.place[r] == 0 {
			mix(3)
		} else {
			mix(uint64(w.m.From(r)+1)<<2 | 1)
		}
	}
	return h
}

// WatchFor is what has to be watched to decide a goal and clauses.
func WatchFor(sys *constraint.System, goal constraint.Goal, clauses []constraint.Clause) Watch {
	w := Watch{Pairs: goal.Order[:len(goal.Order):len(goal.Order)]}
	end := sys.End()
	for _, c := range goal.Cond {
		// A read that only the goal asks about is not in the Machine's key.
		w.Reads = append(w.Reads, c.Symbols()...)
	}
	for _, c := range clauses {
		for _, l := range c {
			switch {
			case l.From:
				w.Reads = append(w.Reads, l.B)
			case l.A < end && l.B < end:
				w.Pairs = append(w.Pairs, constraint.Edge{Before: l.A, After: l.B})
			}
		}
	}
	return w
}

// Reachable looks for a schedule that reaches the goal and meets the clauses;
// nil without an error is a proof that there is none. Of events that don't
// happen the order is open: clauses about it hold (solve.Placed).
func Reachable(ctx context.Context, sys *constraint.System, goal constraint.Goal, clauses []constraint.Clause, limit int) (*constraint.Schedule, error) {
	var found *constraint.Schedule
	err := States(ctx, sys, WatchFor(sys, goal, clauses), limit, func(m *constraint.Machine) bool {
		if m.Meets(goal) != nil {
			return true
		}
		if len(clauses) > 0 && solve.Place(sys, m.Performed()).First(clauses) != nil {
			return true
		}
		found = m.Schedule()
		return false
	})
	if found != nil {
		return found, nil
	}
	return nil, err
}
