package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

// nobody is no event to take a value from; -1 is the initial value.
const nobody int32 = -2

// player runs the program in an order that the graph allows.
//
// An event is wanted if a path leads from it to End, banned if one leads from
// End to it. The others may happen: each thread goes on along its recorded path
// up to the horizon as long as that fits. A thread whose next event can't be
// performed yet, for an edge or for its object, waits until that changes.
type player struct {
	t       *theory
	sys     *constraint.System
	m       *constraint.Machine
	kids    [][]constraint.EventID
	rank    []int64 // recorded order, unseen events behind their Prev
	horizon int64   // rank up to which events happen that nobody wants
	trace   int     // run of the goal: of alternatives its events come first

	round          int32
	wanted, banned []int32 // by event: round in which it is
	missing        int     // wanted events not performed
	count          int     // events performed
	next           []int32 // by thread: what it is about to do; -1: nothing
	ready          queue
	onEvent        map[int32][]int32 // threads that wait for an event
	onObj          [][]waiter        // threads that wait for a change
	waits          []int32           // by thread: number of its last wait
	writer         []int32           // by location: who wrote last
	sent           [][]int32         // by channel: sends not yet received
	source         []int32           // by event: whom it has to take from; nobody: free
	refused        map[int32][]int32 // by event: whom it must not take from
	pending        map[int32]int     // by writer: reads that wanted events still have to make; -2-obj: of the initial value
	stack          []int32
}

type waiter struct{ thread, wait int32 }

func newPlayer(t *theory) *player {
	n := len(t.sys.Events)
	p := &player{
		t: t, sys: t.sys, m: constraint.NewMachine(t.sys),
		wanted: make([]int32, n+1), banned: make([]int32, n+1),
		next: make([]int32, len(t.sys.Threads)), waits: make([]int32, len(t.sys.Threads)),
		onObj: make([][]waiter, len(t.sys.Objects)+1), writer: make([]int32, len(t.sys.Objects)+1),
		sent:   make([][]int32, len(t.sys.Objects)+1),
		source: slices.Repeat([]int32{nobody}, n),
	}
	p.kids = successors(t.sys)
	p.rank = ranks(t.sys, p.kids)
	return p
}

// play performs what it can. It says whether all that is wanted happened.
func (p *player) play() (complete bool, err error) {
	p.reset()
	p.mark()
	p.sources()
	for t := range p.next {
		p.offer(int32(t))
	}
	for n := 0; ; n++ {
		if n%256 == 0 && !p.t.budget.Spend(1) {
			return false, p.t.budget.Err()
		}
		item, ok := p.ready.pop()
		if !ok {
			return p.missing == 0, nil
		}
		if p.next[item.thread] == item.event {
			p.attempt(item.thread, item.event)
		}
	}
}

func (p *player) reset() {
	for ; p.count > 0; p.count-- {
		p.m.Undo()
	}
	p.round++
	p.ready = p.ready[:0]
	p.onEvent = map[int32][]int32{}
	for o := range p.onObj {
		p.onObj[o] = p.onObj[o][:0]
		p.writer[o] = -1
		p.sent[o] = p.sent[o][:0]
	}
	for t := range p.next {
		p.next[t] = -1
	}
}

// mark finds what is wanted and what is banned.
func (p *player) mark() {
	end := int32(p.sys.End())
	p.missing = -1 // End itself is marked but no event
	p.spread(end, p.wanted, p.t.g.Before, &p.missing)
	ignored := 0
	p.spread(end, p.banned, p.t.g.After, &ignored)
}

func (p *player) spread(from int32, marks []int32, step func(int32, func(int32)), n *int) {
	p.stack = append(p.stack[:0], from)
	marks[from] = p.round
	see := func(w int32) {
		if marks[w] != p.round {
			marks[w] = p.round
			p.stack = append(p.stack, w)
		}
	}
	for len(p.stack) > 0 {
		v := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		*n++
		step(v, see)
	}
}

// sources reads the From atoms.
func (p *player) sources() {
	p.refused, p.pending = map[int32][]int32{}, map[int32]int{}
	for _, v := range p.t.fromAll {
		p.source[p.t.b[v]] = nobody
	}
	for _, v := range p.t.fromAll {
		w, r := p.t.a[v], p.t.b[v]
		switch p.t.sat.Value(v.Pos()) {
		case sat.True:
			p.source[r] = w
			p.pending[p.giver(w, r)]++
		case sat.False:
			p.refused[r] = append(p.refused[r], w)
		}
	}
}

// giver is the key of pending for a read of w, or of the initial value.
func (p *player) giver(w, r int32) int32 {
	if w < 0 {
		return -2 - int32(p.sys.Events[r].Obj)
	}
	return w
}

// offer finds what a thread does next.
func (p *player) offer(t int32) {
	p.next[t] = -1
	best := int32(-1)
	for _, k := range p.m.Next(constraint.ThreadID(t)) {
		e := int32(k)
		if p.wanted[e] == p.round {
			best = e
			break
		}
		if p.banned[e] != p.round && p.sys.Events[e].At >= 0 && p.rank[e] <= p.horizon && (best < 0 || p.rather(e, best)) {
			best = e
		}
	}
	if best >= 0 {
		p.next[t] = best
		p.line(t, best)
	}
}

// rather says that of two alternatives e is nearer to the recorded run.
func (p *player) rather(e, than int32) bool {
	a, b := p.sys.Events[e].Origin.Trace == p.trace, p.sys.Events[than].Origin.Trace == p.trace
	if a != b {
		return a
	}
	return p.rank[e] < p.rank[than]
}

// line puts a thread into the queue once all sources of edges have happened.
func (p *player) line(t, e int32) {
	first := int32(-1)
	end := int32(p.sys.End())
	p.t.g.Before(e, func(u int32) {
		if first < 0 && (u == end || !p.m.Happened(constraint.EventID(u))) {
			first = u
		}
	})
	if first >= 0 {
		p.onEvent[first] = append(p.onEvent[first], t)
		return
	}
	p.ready.push(item{p.rank[e], t, e})
}

func (p *player) attempt(t, e int32) {
	switch {
	case p.rendezvous(e):
		p.meet(t, e)
	case p.reserved(e) || !p.perform(e):
		p.park(t, e)
	default:
		p.after(e)
	}
}

func (p *player) rendezvous(e int32) bool {
	ev := &p.sys.Events[e]
	return (ev.Op == constraint.Send || ev.Op == constraint.Recv && ev.Outcome == constraint.Received) &&
		p.sys.Objects[ev.Obj].Cap == 0
}

// reserved says that e would overwrite, or take, a value that somebody else has
// yet to read.
func (p *player) reserved(e int32) bool {
	if len(p.pending) == 0 {
		return false
	}
	ev := &p.sys.Events[e]
	var w int32
	switch {
	case ev.Op == constraint.Write || ev.Op == constraint.RMW:
		w = p.giver(p.writer[ev.Obj], e)
	case ev.Op == constraint.Recv && len(p.sent[ev.Obj]) > 0:
		w = p.sent[ev.Obj][0]
	default:
		return false
	}
	n := p.pending[w]
	if ev.Op != constraint.Write && p.source[e] != nobody && p.giver(p.source[e], e) == w {
		n--
	}
	return n > 0
}

// perform performs e if that is possible and it takes its value from the right one.
func (p *player) perform(e int32) bool {
	if p.m.Perform(constraint.EventID(e)) != nil {
		return false
	}
	w := int32(p.m.From(constraint.EventID(e)))
	if p.source[e] != nobody && p.source[e] != w || slices.Contains(p.refused[e], w) && p.takes(e) {
		p.m.Undo()
		return false
	}
	return true
}

func (p *player) takes(e int32) bool {
	ev := &p.sys.Events[e]
	return ev.Op == constraint.Read || ev.Op == constraint.RMW || ev.Op == constraint.Recv && ev.Outcome == constraint.Received
}

// meet looks for the other half of a rendezvous among those that wait.
func (p *player) meet(t, e int32) {
	obj := p.sys.Events[e].Obj
	for _, w := range p.onObj[obj] {
		o := p.next[w.thread]
		if p.waits[w.thread] != w.wait || o < 0 || w.thread == t || !p.rendezvous(o) || p.sys.Events[o].Op == p.sys.Events[e].Op {
			continue
		}
		send, recv := e, o
		if p.sys.Events[e].Op == constraint.Recv {
			send, recv = o, e
		}
		if p.pending[send] > 0 && p.source[recv] != send || !p.perform(send) {
			continue
		}
		if !p.perform(recv) {
			p.m.Undo()
			continue
		}
		p.waits[w.thread]++
		p.after(send)
		p.after(recv)
		return
	}
	p.park(t, e)
}

// park lets a thread wait for a change of what e is about.
func (p *player) park(t, e int32) {
	p.waits[t]++
	w := waiter{t, p.waits[t]}
	ev := &p.sys.Events[e]
	for _, c := range ev.Cases {
		p.onObj[c.Obj] = append(p.onObj[c.Obj], w)
	}
	if ev.Op != constraint.Default {
		p.onObj[ev.Obj] = append(p.onObj[ev.Obj], w)
	}
}

// after goes on behind a performed event.
func (p *player) after(e int32) {
	ev := &p.sys.Events[e]
	p.count++
	if p.wanted[e] == p.round {
		p.missing--
	}
	if p.source[e] != nobody {
		p.pending[p.giver(p.source[e], e)]--
	}
	switch {
	case ev.Op == constraint.Write || ev.Op == constraint.RMW:
		p.writer[ev.Obj] = e
	case ev.Op == constraint.Send:
		p.sent[ev.Obj] = append(p.sent[ev.Obj], e)
	case ev.Op == constraint.Recv && ev.Outcome == constraint.Received:
		p.sent[ev.Obj] = p.sent[ev.Obj][1:]
	}
	for _, w := range p.onObj[ev.Obj] {
		if next := p.next[w.thread]; p.waits[w.thread] == w.wait && next >= 0 {
			p.waits[w.thread]++
			p.ready.push(item{p.rank[next], w.thread, next})
		}
	}
	p.onObj[ev.Obj] = p.onObj[ev.Obj][:0]
	if len(p.onEvent) > 0 {
		threads := p.onEvent[e]
		delete(p.onEvent, e)
		for _, t := range threads {
			p.line(t, p.next[t])
		}
	}
	p.offer(int32(ev.Thread))
	if ev.Op == constraint.Spawn && p.next[ev.Child] < 0 {
		p.offer(int32(ev.Child))
	}
}

// order is what was performed, what is wanted besides, End, and all else: an
// order of all events that the graph allows.
func (p *player) order() []constraint.EventID {
	n := len(p.sys.Events)
	out := make([]constraint.EventID, 0, n+1)
	out = append(out, p.m.Performed()...)
	pick := func(wanted bool) {
		for i := range n + 1 {
			e := p.t.g.Node(i)
			if int(e) != n && (p.wanted[e] == p.round) == wanted && !p.m.Happened(constraint.EventID(e)) {
				out = append(out, constraint.EventID(e))
			}
		}
	}
	pick(true)
	out = append(out, p.sys.End())
	pick(false)
	return out
}
