package sweep

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
)

// asked is what the questions that a walk can answer are about.
type asked struct {
	can     []bool                       // by question: it can be answered
	of      []bool                       // by event: a question is about it, and about no other like it
	alike   []uint64                     // by event: what else is asked about it
	group   []uint64                     // by question: equal for those about events that may be alike
	past    []bool                       // by event: whether it has happened belongs to the state
	happens map[constraint.EventID][]int // questions that are answered when the event happens
	stands  map[constraint.EventID][]int // questions to look at while a thread stands before the event
	stuck   []int                        // questions about states in which nothing is possible
}

// ask sorts the questions by when they have to be looked at.
func ask(sys *constraint.System, questions []Question) *asked {
	a := &asked{
		can: make([]bool, len(questions)), of: make([]bool, len(sys.Events)), past: make([]bool, len(sys.Events)),
		alike: make([]uint64, len(sys.Events)), group: make([]uint64, len(questions)),
		happens: map[constraint.EventID][]int{}, stands: map[constraint.EventID][]int{},
	}
	g := newGivens(sys)
	for i := range questions {
		q := &questions[i]
		if sys.ValidateGoal(q.Goal) != nil || len(q.Goal.Order)+len(q.Goal.Cond) > 0 {
			continue
		}
		switch goal := &q.Goal; {
		case goal.Stuck:
			if len(goal.Include)+len(goal.Blocked) > 0 || !g.known(q.Given) {
				continue
			}
			a.stuck = append(a.stuck, i)
		case len(q.Given) > 0:
			continue
		case single(goal):
			a.happens[goal.Include[0]] = append(a.happens[goal.Include[0]], i)
		case races(sys, goal):
			for _, e := range goal.Stop {
				a.stands[e] = append(a.stands[e], i)
			}
		case fails(sys, goal), afterClose(sys, goal):
			a.fails(sys, i, goal)
			continue
		default:
			continue
		}
		a.can[i] = true
		a.note(q)
	}
	return a
}

// fails notes a question about an operation that fails where it stands. The walk
// need not tell those of one thread apart after which it does the same: what one
// of them shows, the other would. So if one shows it, the others of the group are
// left open.
func (a *asked) fails(sys *constraint.System, i int, g *constraint.Goal) {
	e, kind := constraint.NoEvent, uint64(0)
	for _, e = range g.Blocked {
		kind = 1
	}
	for _, e = range g.Stop {
		kind = 2 + uint64(g.Include[0])
		a.past[g.Include[0]] = true
	}
	a.can[i] = true
	a.stands[e] = append(a.stands[e], i)
	a.alike[e] = mix(a.alike[e], kind)
	ev := &sys.Events[e]
	a.group[i] = mix(mix(uint64(ev.Thread)<<32|uint64(ev.Obj), uint64(ev.Op)), kind) | 1
}

// note marks what a question is about.
func (a *asked) note(q *Question) {
	for _, e := range q.Goal.Include {
		a.of[e] = true
	}
	for _, e := range q.Goal.Stop {
		a.of[e] = true
	}
	for _, c := range q.Given {
		if len(c) == 1 {
			a.past[c[0].B] = true
		}
	}
}

// single: one event happens.
func single(g *constraint.Goal) bool {
	return len(g.Include) == 1 && len(g.Stop)+len(g.Blocked) == 0
}

// races: two threads stand before conflicting accesses.
func races(sys *constraint.System, g *constraint.Goal) bool {
	if len(g.Stop) != 2 || len(g.Include)+len(g.Blocked) > 0 {
		return false
	}
	x, y := &sys.Events[g.Stop[0]], &sys.Events[g.Stop[1]]
	return x.Thread != y.Thread && location(x) && location(y) && x.Obj == y.Obj && (x.Op != constraint.Read || y.Op != constraint.Read)
}

func location(e *constraint.Event) bool {
	return e.Op == constraint.Read || e.Op == constraint.Write || e.Op == constraint.RMW
}

// fails: a counter would go below zero, or what nobody holds be unlocked.
func fails(sys *constraint.System, g *constraint.Goal) bool {
	if len(g.Blocked) != 1 || len(g.Include)+len(g.Stop) > 0 {
		return false
	}
	switch sys.Events[g.Blocked[0]].Op {
	case constraint.Add, constraint.Unlock, constraint.RUnlock:
		return true
	}
	return false
}

// afterClose: a thread stands before a send on, or a close of, a channel that
// is closed.
func afterClose(sys *constraint.System, g *constraint.Goal) bool {
	if len(g.Stop) != 1 || len(g.Include) != 1 || len(g.Blocked) > 0 {
		return false
	}
	e, c := &sys.Events[g.Stop[0]], &sys.Events[g.Include[0]]
	return (e.Op == constraint.Send || e.Op == constraint.Close) && c.Op == constraint.Close && e.Obj == c.Obj
}

// behindWriters are the locks that a reader can wait for because a writer does.
func behindWriters(sys *constraint.System) []bool {
	reads, writes := make([]bool, len(sys.Objects)), make([]bool, len(sys.Objects))
	for i := range sys.Events {
		switch e := &sys.Events[i]; e.Op {
		case constraint.RLock:
			reads[e.Obj] = true
		case constraint.Lock:
			writes[e.Obj] = true
		}
	}
	for o := range reads {
		reads[o] = reads[o] && writes[o]
	}
	return reads
}

// givens knows the clauses whose truth in a state follows from what a walk
// keeps of it: which threads stand before what, which channels are closed, and
// which events of asked.past have happened.
type givens struct {
	sys    *constraint.System
	kids   map[constraint.EventID][]constraint.EventID // by event before; first events aside
	closes map[constraint.ObjID]int
}

func newGivens(sys *constraint.System) *givens {
	g := &givens{sys: sys, kids: map[constraint.EventID][]constraint.EventID{}, closes: map[constraint.ObjID]int{}}
	for i := range sys.Events {
		e := &sys.Events[i]
		if e.Prev != constraint.NoEvent {
			g.kids[e.Prev] = append(g.kids[e.Prev], constraint.EventID(i))
		}
		if e.Op == constraint.Close {
			g.closes[e.Obj]++
		}
	}
	return g
}

// known is true of clauses that
//   - an event does not happen;
//   - nobody stands behind an event;
//   - nobody stands behind an event while a channel is closed: one clause for
//     each event that may close it.
func (g *givens) known(given []constraint.Clause) bool {
	type guard struct {
		after   constraint.EventID
		channel constraint.ObjID
	}
	closed := map[guard]map[constraint.EventID]bool{}
	for _, c := range given {
		if len(c) == 0 || !g.not(c[0]) {
			return false
		}
		if len(c) == 1 {
			continue
		}
		after, rest, ok := g.stands(c)
		switch {
		case !ok, len(rest) > 1, len(rest) == 1 && (!g.not(rest[0]) || g.sys.Events[rest[0].B].Op != constraint.Close):
			return false
		case len(rest) == 1:
			k := guard{after, g.sys.Events[rest[0].B].Obj}
			if closed[k] == nil {
				closed[k] = map[constraint.EventID]bool{}
			}
			closed[k][rest[0].B] = true
		}
	}
	for k, by := range closed {
		if len(by) != g.closes[k.channel] {
			return false
		}
	}
	return true
}

// not is a literal that an event does not happen.
func (g *givens) not(l constraint.Lit) bool {
	return !l.From && !l.Neg && l.A == g.sys.End() && l.B >= 0 && l.B < l.A
}

// stands takes a clause apart that says first that nobody stands behind an
// event: it has not happened, or one that follows it has. Leaves that are pending
// need not be named: what comes after them is not known, so that nobody is stuck.
func (g *givens) stands(c constraint.Clause) (after constraint.EventID, rest constraint.Clause, ok bool) {
	after, rest = c[0].B, c[1:]
	named := map[constraint.EventID]bool{}
	for len(rest) > 0 && !rest[0].From && !rest[0].Neg && rest[0].B == g.sys.End() && rest[0].A < rest[0].B && g.sys.Events[rest[0].A].Prev == after {
		named[rest[0].A], rest = true, rest[1:]
	}
	for _, k := range g.kids[after] {
		if ev := &g.sys.Events[k]; !named[k] && !(ev.Pending && len(g.kids[k]) == 0) {
			return after, nil, false
		}
	}
	return after, rest, len(named) > 0
}

// holds says whether given clauses hold after an order.
func holds(sys *constraint.System, order []constraint.EventID, given []constraint.Clause) bool {
	return len(given) == 0 || solve.Place(sys, order).First(given) == nil
}
