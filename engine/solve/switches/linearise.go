package switches

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// linearise offers orders that are equivalent to the best one: the same events
// see the same values, but each thread goes on as long as what it depends on
// allows. Events that the goal does not need are left out.
func (s *shrinker) linearise() {
	if s.best == nil {
		return
	}
	g := s.dependences(s.best.order)
	keep := g.needed(s.goal)
	for _, longest := range []bool{false, true} {
		s.offer(g.greedy(keep, longest))
	}
}

// graph of the steps of an order: events, where a rendezvous is one step.
type graph struct {
	sys    *constraint.System
	steps  []stepOf
	after  [][]int // by step: steps that it depends on
	at     map[constraint.EventID]int
	thread [][]int // by thread: its steps in order; a rendezvous is in two
}

// stepOf is an event, or a send with its receive (else NoEvent).
type stepOf struct{ first, second constraint.EventID }

// dependences of an order: program order, and pairs of events on one object
// whose order one of them could tell.
func (s *shrinker) dependences(order []constraint.EventID) *graph {
	g := &graph{sys: s.sys, at: make(map[constraint.EventID]int, len(order)), thread: make([][]int, len(s.sys.Threads))}
	last := make([]int, len(s.sys.Threads))
	for t := range last {
		last[t] = -1
	}
	objects, channels := make([]history, len(s.sys.Objects)), make([]traffic, len(s.sys.Objects))
	for i := 0; i < len(order); i++ {
		st := stepOf{order[i], constraint.NoEvent}
		if rendezvous(s.sys, order, i) {
			i++
			st.second = order[i]
		}
		n := len(g.steps)
		var deps []int
		for _, e := range []constraint.EventID{st.first, st.second} {
			if e == constraint.NoEvent {
				continue
			}
			ev := &s.sys.Events[e]
			if last[ev.Thread] >= 0 {
				deps = append(deps, last[ev.Thread])
			}
			last[ev.Thread] = n
			if ev.Op == constraint.Spawn && last[ev.Child] < 0 {
				last[ev.Child] = n
			}
			g.at[e] = n
			g.thread[ev.Thread] = append(g.thread[ev.Thread], n)
			switch {
			case ev.Obj != 0 && s.sys.Objects[ev.Obj].Kind == constraint.Channel:
				deps = append(deps, channels[ev.Obj].step(n, ev, s.sys.Objects[ev.Obj].Cap)...)
			case ev.Obj != 0:
				deps = append(deps, objects[ev.Obj].step(n, roleOf(ev))...)
			}
			for _, c := range ev.Cases {
				deps = append(deps, channels[c.Obj].bar(n)...)
			}
		}
		g.steps = append(g.steps, st)
		g.after = append(g.after, deps)
	}
	return g
}

// role of an event on its object: events of one role that share commute with
// each other, all others of the object depend on each other.
type role int

const (
	alone  role = iota // with nothing
	reads              // reads of a location
	rlocks             // read regions
	grows              // WaitGroup.Add of more, and of less
	shrinks
)

func roleOf(ev *constraint.Event) role {
	switch ev.Op {
	case constraint.Read:
		return reads
	case constraint.RLock, constraint.RUnlock:
		return rlocks
	case constraint.Add:
		if ev.Delta > 0 {
			return grows
		}
		return shrinks
	}
	return alone
}

// history of an object: the steps of the present role, and those before it.
type history struct {
	role          role
	before, group []int
}

// step adds a step and says which steps it depends on.
func (h *history) step(n int, r role) []int {
	if len(h.group) > 0 && (r == alone || r != h.role) {
		h.before, h.group = h.group, nil
	}
	h.role = r
	h.group = append(h.group, n)
	return h.before
}

// traffic of a channel: sends among each other, receives among each other, the
// k-th receive after the k-th send, and the (k+capacity)-th send after it.
type traffic struct {
	sends, recvs []int
	closed       []int // the Close
	all          []int // since the last bar, and it: what a bar depends on
	barrier      []int // the last select that found nothing to do
}

func (c *traffic) step(n int, ev *constraint.Event, capacity int) []int {
	deps := slices.Clone(c.barrier)
	last := func(of []int) {
		if len(of) > 0 {
			deps = append(deps, of[len(of)-1])
		}
	}
	switch {
	case ev.Op == constraint.Send:
		last(c.sends)
		if k := len(c.sends) - capacity; capacity > 0 && k >= 0 && k < len(c.recvs) {
			deps = append(deps, c.recvs[k])
		}
		c.sends = append(c.sends, n)
	case ev.Op == constraint.Close:
		last(c.sends)
		c.closed = []int{n}
	case ev.Outcome == constraint.Closed:
		last(c.closed)
		last(c.recvs)
	default:
		if k := len(c.recvs); k < len(c.sends) {
			deps = append(deps, c.sends[k])
		}
		last(c.recvs)
		c.recvs = append(c.recvs, n)
	}
	c.all = append(c.all, n)
	return deps
}

// bar is a step that all others on the channel have an order with.
func (c *traffic) bar(n int) []int {
	deps := c.all
	c.barrier, c.all = []int{n}, []int{n}
	return deps
}

// needed marks the steps that the goal's events depend on. Of a goal about
// blocked threads all that was done to their objects counts, of a stuck program
// everything.
func (g *graph) needed(goal constraint.Goal) []bool {
	keep := make([]bool, len(g.steps))
	var todo []int
	want := func(e constraint.EventID) {
		if n, ok := g.at[e]; ok {
			todo = append(todo, n)
		}
	}
	for _, e := range goal.Happens() {
		want(e)
	}
	blocked := map[constraint.ObjID]bool{}
	for _, e := range goal.Blocked {
		blocked[g.sys.Events[e].Obj] = true
	}
	for _, e := range goal.Stands() {
		ev := &g.sys.Events[e]
		want(ev.Prev)
		if ev.Prev == constraint.NoEvent {
			for n, st := range g.steps { // its thread has to be started
				if f := &g.sys.Events[st.first]; f.Op == constraint.Spawn && f.Child == ev.Thread {
					todo = append(todo, n)
				}
			}
		}
	}
	for n, st := range g.steps {
		if goal.Stuck || blocked[g.sys.Events[st.first].Obj] {
			todo = append(todo, n)
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !keep[n] {
			keep[n] = true
			todo = append(todo, g.after[n]...)
		}
	}
	return keep
}

// greedy performs the steps that are kept: it stays on a thread as long as the
// thread can go on, then takes the one whose next step came first, or the one
// that can go on longest.
func (g *graph) greedy(keep []bool, longest bool) []constraint.EventID {
	done := make([]bool, len(g.steps))
	pos := make([]int, len(g.thread))
	left := 0
	for n := range keep {
		if keep[n] {
			left++
		} else {
			done[n] = true // nothing that is kept depends on it
		}
	}
	var order []constraint.EventID
	running := -1
	for left > 0 {
		if running < 0 || !g.ready(g.next(running, pos, done), done) {
			running = g.choose(pos, done, longest)
			if running < 0 {
				return nil // can't be: dependences have no cycle
			}
		}
		n := g.next(running, pos, done)
		done[n] = true
		left--
		order = append(order, g.steps[n].first)
		if g.steps[n].second != constraint.NoEvent {
			order = append(order, g.steps[n].second)
		}
	}
	return order
}

// next is the next step of a thread, or -1.
func (g *graph) next(t int, pos []int, done []bool) int {
	for pos[t] < len(g.thread[t]) && done[g.thread[t][pos[t]]] {
		pos[t]++
	}
	if pos[t] == len(g.thread[t]) {
		return -1
	}
	return g.thread[t][pos[t]]
}

func (g *graph) ready(n int, done []bool) bool {
	if n < 0 {
		return false
	}
	for _, d := range g.after[n] {
		if !done[d] && d != n {
			return false
		}
	}
	return true
}

// choose says which thread goes on, or -1.
func (g *graph) choose(pos []int, done []bool, longest bool) int {
	best, most, first := -1, -1, 0
	for t := range g.thread {
		n := g.next(t, pos, done)
		if !g.ready(n, done) {
			continue
		}
		run := 0
		if longest {
			run = g.run(t, pos[t], done)
		}
		if best < 0 || run > most || run == most && n < first {
			best, most, first = t, run, n
		}
	}
	return best
}

// run counts the steps that a thread can do without the others.
func (g *graph) run(t, from int, done []bool) int {
	var did []int
	for _, n := range g.thread[t][from:] {
		if !done[n] {
			if !g.ready(n, done) {
				break
			}
			done[n] = true
			did = append(did, n)
		}
	}
	for _, n := range did {
		done[n] = false
	}
	return len(did)
}
