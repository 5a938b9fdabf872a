package repairsearch

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// question is a goal prepared: which path each thread takes, how far, and what
// has to be performed before the goal can be looked at.
type question struct {
	*session
	goal    constraint.Goal
	clauses []constraint.Clause
	edges   []edge               // demanded by goal and unit clauses
	need    []constraint.EventID // have to happen
	stop    map[constraint.EventID]bool
	// next is the successor of each event on its thread's path, first the first
	// event of each thread; NoEvent: none. Siblings off the path are taken where
	// the one on it does not fit, unless the thread has to stay on its path.
	next   []constraint.EventID
	first  []constraint.EventID
	onPath []bool // by event: its thread has to come through it
	time   []int32
	// writers are the writes of each location, and the sends and receives of each
	// channel, on the paths, by time.
	writers, receivers [][]constraint.EventID
	waits              bool // the end state as a whole counts: Blocked or Stuck
}

// newQuestion says false if the goal's edges make a cycle with program order.
func (s *session) newQuestion(goal constraint.Goal, clauses []constraint.Clause) (*question, bool) {
	q := &question{session: s, goal: goal, clauses: clauses,
		stop:   map[constraint.EventID]bool{},
		waits:  goal.Stuck || len(goal.Blocked) > 0,
		onPath: make([]bool, len(s.sys.Events)),
	}
	q.collect()
	q.times()
	q.paths()
	q.index()
	return q, !q.cyclic()
}

// collect says what goal and unit clauses ask to happen, in which order.
func (q *question) collect() {
	q.need = append(q.need, q.goal.Happens()...)
	for _, d := range q.goal.Order {
		q.edges = append(q.edges, edge{d.Before, d.After})
	}
	for _, e := range q.goal.Stands() {
		q.stop[e] = true
		if p := q.sys.Events[e].Prev; p != constraint.NoEvent {
			q.need = append(q.need, p)
		} else {
			q.waits = true // for its thread to be started
		}
	}
	end := q.sys.End()
	for _, c := range q.clauses {
		if len(c) != 1 {
			continue
		}
		l := c[0]
		if l.Neg && !l.From {
			l.A, l.B, l.Neg = l.B, l.A, false
		}
		switch {
		case l.Neg || l.A == constraint.NoEvent:
		case l.B == end:
			q.need = append(q.need, l.A)
		case l.A == end:
			q.stop[l.B] = true
		default:
			q.edges = append(q.edges, edge{l.A, l.B})
		}
	}
	slices.Sort(q.need)
	q.need = slices.Compact(q.need)
	for _, e := range q.need {
		for ; e != constraint.NoEvent && !q.onPath[e]; e = q.sys.Events[e].Prev {
			q.onPath[e] = true
		}
	}
}

// times are twice the recorded positions; what was never seen comes right after
// what is before it.
func (q *question) times() {
	q.time = make([]int32, len(q.sys.Events))
	for e := range q.time {
		q.time[e] = -1
	}
	var chain []constraint.EventID
	for i := range q.sys.Events {
		chain = chain[:0]
		e := constraint.EventID(i)
		for e != constraint.NoEvent && q.time[e] < 0 && q.sys.Events[e].At < 0 {
			chain = append(chain, e)
			e = q.sys.Events[e].Prev
		}
		at := int32(0)
		switch {
		case e == constraint.NoEvent:
		case q.time[e] >= 0:
			at = q.time[e] | 1
		default:
			q.time[e] = int32(2 * q.sys.Events[e].At)
			at = q.time[e] | 1
		}
		for _, c := range chain {
			q.time[c] = at
		}
	}
}

// paths chooses a path for each thread: through what has to happen, else along
// what was recorded first.
func (q *question) paths() {
	q.next = make([]constraint.EventID, len(q.sys.Events))
	q.first = make([]constraint.EventID, len(q.sys.Threads))
	for i := range q.next {
		q.next[i] = constraint.NoEvent
	}
	for t := range q.first {
		q.first[t] = constraint.NoEvent
	}
	for i := range q.sys.Events {
		e := constraint.EventID(i)
		slot := &q.first[q.sys.Events[e].Thread]
		if p := q.sys.Events[e].Prev; p != constraint.NoEvent {
			slot = &q.next[p]
		}
		if *slot == constraint.NoEvent || q.prefers(e, *slot) {
			*slot = e
		}
	}
}

// prefers says that e suits better than another event after the same one.
func (q *question) prefers(e, other constraint.EventID) bool {
	if a, b := q.onPath[e] || q.stop[e], q.onPath[other] || q.stop[other]; a != b {
		return a
	}
	if a, b := q.sys.Events[e].At < 0, q.sys.Events[other].At < 0; a != b {
		return b
	}
	return q.time[e] < q.time[other]
}

// index files the events of the paths by what they do to their object.
func (q *question) index() {
	q.writers = make([][]constraint.EventID, len(q.sys.Objects))
	q.receivers = make([][]constraint.EventID, len(q.sys.Objects))
	for _, e := range q.first {
		for ; e != constraint.NoEvent; e = q.next[e] {
			switch ev := &q.sys.Events[e]; ev.Op {
			case constraint.Write, constraint.RMW, constraint.Send:
				q.writers[ev.Obj] = append(q.writers[ev.Obj], e)
			case constraint.Recv:
				q.receivers[ev.Obj] = append(q.receivers[ev.Obj], e)
			}
		}
	}
	for o := range q.writers {
		q.inTime(q.writers[o])
		q.inTime(q.receivers[o])
	}
}

// inTime sorts events by their recorded places.
func (q *question) inTime(events []constraint.EventID) {
	slices.SortStableFunc(events, func(a, b constraint.EventID) int { return int(q.time[a]) - int(q.time[b]) })
}

// cyclic says that the goal's own edges can't be met: after each edge's end
// comes, in every schedule, the beginning of another, and so on back.
func (q *question) cyclic() bool {
	edges := q.goal.Order
	if len(edges) == 0 {
		return false
	}
	must := q.sys.MustBefore()
	const (
		unseen = iota
		open
		done
	)
	state := make([]int, len(edges))
	var visit func(i int) bool
	visit = func(i int) bool {
		state[i] = open
		for j := range edges {
			if a, b := edges[i].After, edges[j].Before; a != b && !must.Before(a, b) {
				continue
			}
			if state[j] == open || state[j] == unseen && visit(j) {
				return true
			}
		}
		state[i] = done
		return false
	}
	for i := range edges {
		if state[i] == unseen && visit(i) {
			return true
		}
	}
	return false
}

// leads says that a is b or comes before it in its thread.
func (q *question) leads(a, b constraint.EventID) bool {
	if q.sys.Events[a].Thread != q.sys.Events[b].Thread {
		return false
	}
	for b != constraint.NoEvent && b != a {
		b = q.sys.Events[b].Prev
	}
	return b == a
}
