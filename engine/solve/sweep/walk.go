package sweep

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// walk is a search through the states, depth first.
type walk struct {
	*tree
	*asked
	future            *futures
	first             []access // by node: what its events do to objects
	mutexes, channels []constraint.ObjID
	behind            []bool // by object: a lock at which readers may wait for writers that wait

	budget    *budget.Budget
	questions []Question
	bound     Bound
	answers   *Answers
	open      int // questions asked and not answered
	stopped   bool

	m       *constraint.Machine
	pos     []node      // by thread
	started []int       // by thread: events that started it
	starts  []bool      // by thread: some event does
	count   []int64     // by object: counter of a WaitGroup, items in a channel
	closed  []bool      // by object: a channel is
	keys    [][2]uint64 // by object
	past    [2]uint64   // of what happened that asked.past names
	seen    map[[2]uint64]struct{}
	taken   map[taken]bool
}

func newWalk(b *budget.Budget, sys *constraint.System, questions []Question, bound Bound, answers *Answers) *walk {
	a := ask(sys, questions)
	t := newTree(sys, a)
	w := &walk{
		tree: t, asked: a, future: newFutures(t), first: make([]access, len(t.kids)),
		mutexes: ofKind(sys, constraint.Mutex), channels: ofKind(sys, constraint.Channel),
		budget: b, questions: questions, bound: bound, answers: answers, m: constraint.NewMachine(sys),
		started: make([]int, len(sys.Threads)), starts: make([]bool, len(sys.Threads)),
		count: make([]int64, len(sys.Objects)+1), closed: make([]bool, len(sys.Objects)+1),
		keys: make([][2]uint64, len(sys.Objects)), behind: behindWriters(sys), seen: map[[2]uint64]struct{}{}, taken: map[taken]bool{},
	}
	for at := range t.kids {
		w.first[at] = t.none()
		for _, k := range t.kids[at] {
			w.first[at].add(t.own[k])
		}
	}
	for i := range sys.Threads {
		w.pos = append(w.pos, t.root(constraint.ThreadID(i)))
	}
	for i := range sys.Events {
		if sys.Events[i].Op == constraint.Spawn {
			w.starts[sys.Events[i].Child] = true
		}
	}
	for o := range w.keys {
		w.keys[o] = w.m.ObjectKey(constraint.ObjID(o))
	}
	for _, is := range a.can {
		if is {
			w.open++
		}
	}
	return w
}

func (w *walk) begun(t int) bool { return w.started[t] > 0 || !w.starts[t] }

// from visits the current state, to which thread last came, and what follows.
func (w *walk) from(last int) {
	key := w.key()
	if _, known := w.seen[key]; known {
		return
	}
	if !w.budget.Spend(1) {
		w.stopped = true
		return
	}
	w.seen[key] = struct{}{}
	if w.answerStanding(); w.ends() {
		return
	}
	var sets []threads
	commute := w.commuting()
	for i := range w.pos {
		t := (last + i) % len(w.pos)
		if !w.begun(t) || len(w.kids[w.pos[t]]) == 0 {
			continue
		}
		p := w.persistent(t, commute)
		if p.size() > 1 {
			sets = append(sets, p)
		} else if w.expand(p) || w.ends() {
			return
		}
	}
	slices.SortStableFunc(sets, func(x, y threads) int { return x.size() - y.size() })
	for _, p := range sets {
		if w.expand(p) || w.ends() {
			return
		}
	}
	w.settle(w.stuck)
}

// ends says that nothing more is to be visited.
func (w *walk) ends() bool {
	if w.bound.Enough > 0 && w.answers.Sat+len(w.answers.More) >= w.bound.Enough {
		w.stopped = true
	}
	return w.stopped || w.open == 0 && !w.bound.Values
}

// expand goes on with the next events of the set's threads. It is true if that
// is enough: something is possible that leads on, and not only readers are that
// may as well wait behind writers and be stuck.
func (w *walk) expand(p threads) (enough bool) {
	for t, in := range p {
		if !in {
			continue
		}
		for _, e := range w.kids[w.pos[t]] {
			ev := &w.sys.Events[e]
			if w.step(t, e) && (len(w.stuck) == 0 || ev.Op != constraint.RLock || !w.behind[ev.Obj]) {
				enough = true
			}
			if w.ends() {
				return true
			}
		}
	}
	return enough
}

// step performs an event, looks at what follows and takes it back; false if it
// is not possible, or leads nowhere.
func (w *walk) step(t int, e constraint.EventID) bool {
	leaf := w.idle(e) && (len(w.stuck) == 0 || w.sys.Events[e].Pending)
	if leaf && len(w.happens[e]) == 0 {
		return false
	}
	if !w.m.Try(e) {
		return false
	}
	defer w.m.Undo()
	if w.m.Open() != constraint.NoEvent {
		return w.meet(t, e)
	}
	if w.answer(e); leaf {
		return false
	}
	w.enter(t, e, func() { w.from(t) })
	return true
}

// meet performs the other half of a rendezvous, whoever's.
func (w *walk) meet(t int, send constraint.EventID) bool {
	any := false
	for u, at := range w.pos {
		if u == t {
			continue
		}
		for _, r := range w.kids[at] {
			if !w.m.Try(r) {
				continue
			}
			any = true
			w.answer(send)
			w.answer(r)
			w.enter(t, send, func() { w.enter(u, r, func() { w.from(u) }) })
			w.m.Undo()
		}
	}
	return any
}

// enter keeps account of an event that the Machine has performed while do runs.
func (w *walk) enter(t int, e constraint.EventID, do func()) {
	ev := &w.sys.Events[e]
	at, count, closed, key, past := w.pos[t], w.count[ev.Obj], w.closed[ev.Obj], w.keys[ev.Obj], w.past
	w.pos[t] = node(e)
	switch ev.Op {
	case constraint.Add:
		w.count[ev.Obj] += ev.Delta
	case constraint.Send:
		w.count[ev.Obj]++
	case constraint.Recv:
		if ev.Outcome == constraint.Received {
			w.count[ev.Obj]--
		}
	case constraint.Close:
		w.closed[ev.Obj] = true
	case constraint.Spawn:
		w.started[ev.Child]++
	}
	w.keys[ev.Obj] = w.m.ObjectKey(ev.Obj)
	if w.asked.past[e] {
		w.past[0], w.past[1] = w.past[0]+mix(1, uint64(e)), w.past[1]+mix(2, uint64(e))
	}
	do()
	w.pos[t], w.count[ev.Obj], w.closed[ev.Obj], w.keys[ev.Obj], w.past = at, count, closed, key, past
	if ev.Op == constraint.Spawn {
		w.started[ev.Child]--
	}
}

// key is equal for states from which the same can be done, as far as anybody
// asks.
func (w *walk) key() [2]uint64 {
	if !w.mergeable {
		return w.m.Key()
	}
	key := w.past
	read := make(bits, w.thin)
	for t, at := range w.pos {
		read.add(w.reads[at])
		h := mix(uint64(t)<<1|b2u(w.begun(t)), w.class[at])
		key[0], key[1] = key[0]+mix(3, h), key[1]+mix(4, h)
	}
	for o, k := range w.keys {
		if w.sys.Objects[o].Kind != constraint.Location || read.has(o) {
			key[0], key[1] = key[0]+k[0], key[1]+k[1]
		}
	}
	return key
}

// answerStanding answers the questions about threads that stand before events.
func (w *walk) answerStanding() {
	if len(w.stands) == 0 {
		return
	}
	for t, at := range w.pos {
		if !w.begun(t) {
			continue
		}
		for _, e := range w.kids[at] {
			w.settle(w.stands[e])
		}
	}
}

func (w *walk) settle(questions []int) {
	for _, i := range questions {
		q := &w.questions[i]
		if w.answers.Status[i] == solve.Unknown && w.m.Meets(q.Goal) == nil && holds(w.sys, w.m.Performed(), q.Given) {
			w.found(i)
		}
	}
}

// answer answers the questions that ask for an event: again for each value that
// it takes.
func (w *walk) answer(e constraint.EventID) {
	is := w.happens[e]
	if len(is) == 0 {
		return
	}
	v := taken{e, w.m.Value(e)}
	if w.taken[v] {
		return
	}
	w.taken[v] = true
	for _, i := range is {
		if w.answers.Status[i] == solve.Unknown {
			w.found(i)
		} else {
			w.answers.More = append(w.answers.More, Further{i, w.m.Schedule()})
		}
	}
}

// taken is a value that an event took.
type taken struct {
	by    constraint.EventID
	value constraint.Value
}

func (w *walk) found(i int) {
	w.answers.Status[i], w.answers.Schedules[i] = solve.Sat, w.m.Schedule()
	w.answers.Sat++
	w.open--
}
