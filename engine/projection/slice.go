package projection

import (
	"container/heap"

	"github.com/hocket-dev/hocket/engine/trace"
)

// node is an event that the failure depends on.
type node struct {
	ev   int
	cost float64 // how far from the failure
	from int     // the event that it explains, -1 for the failure
	ctl  bool    // it explains whether that event runs, rather than its value
	lost bool    // its goroutine left the passing run's path here
}

const (
	maxNodes = 600
	maxCost  = 24.0
	// An edge that is the same in the passing run explains little.
	samePenalty = 1.5
)

// slice walks backwards from the given events of the failing run over data
// flow and dependences, cheapest first (Symbiosis §3.4 prunes by unsat core;
// here it is the differences to the passing run that decide what counts).
func (a *analysis) slice(starts ...int) []node {
	var out []node
	a.edges = map[int][]node{}
	done := map[int]bool{}
	q := &nodeQueue{}
	for _, s := range starts {
		heap.Push(q, node{ev: s, from: -1})
	}
	for q.Len() > 0 && len(out) < maxNodes {
		n := heap.Pop(q).(node)
		if done[n.ev] || n.cost > maxCost {
			continue
		}
		done[n.ev] = true
		out = append(out, n)
		for _, next := range a.expand(n) {
			a.edges[next.ev] = append(a.edges[next.ev], next)
			if !done[next.ev] {
				heap.Push(q, next)
			}
		}
	}
	return out
}

// expand lists what one event depends on.
func (a *analysis) expand(n node) []node {
	r := a.fail
	e := &r.events[n.ev]
	var out []node
	if src := r.src[n.ev]; src >= 0 && !isLockOp(e.Op) {
		cost := n.cost + 0.5
		if a.sameFlow(n.ev) {
			cost += samePenalty
		}
		out = append(out, node{ev: src, cost: cost, from: n.ev})
	}
	if lost := a.lostSource(n.ev); lost >= 0 {
		out = append(out, node{ev: lost, cost: n.cost + 0.5, from: n.ev, ctl: true, lost: true})
	}
	values := !e.Reads() || e.Writes()
	extra := 0.0
	if e.Reads() && !e.Writes() {
		extra = 1 // why a read runs matters less than what it reads
	}
	for _, d := range a.deps(r, n.ev, values) {
		cost := n.cost + d.cost + extra
		if a.sameFlow(d.ev) {
			cost += samePenalty
		}
		out = append(out, node{ev: d.ev, cost: cost, from: n.ev, ctl: d.ctl != nil})
	}
	return out
}

func isLockOp(op trace.Op) bool { return op >= trace.OpLock && op <= trace.OpTryRLock }

// sameFlow reports whether a read saw in the passing run what it sees in the
// failing one: the same write and the same value.
func (a *analysis) sameFlow(ev int) bool {
	if a.pass == nil {
		return false
	}
	p := a.m.toPass[ev]
	if p < 0 {
		return false
	}
	fe, pe := &a.fail.events[ev], &a.pass.events[p]
	if fe.Value != pe.Value && !a.opaque(fe) {
		return false
	}
	return a.sameSource(ev, p)
}

func (a *analysis) sameSource(ev, p int) bool { return sameSource(a.fail, a.pass, a.m, ev, p) }

func sameSource(fail, pass *run, m *matching, ev, p int) bool {
	fs, ps := fail.src[ev], pass.src[p]
	if fs < 0 || ps < 0 {
		return fs == ps
	}
	return m.toPass[fs] == ps
}

// lostSource finds why a read did not see the write that it saw in the passing
// run: where the writing goroutine left the passing run's path. -1 if the
// write happened after all.
func (a *analysis) lostSource(ev int) int {
	if a.pass == nil {
		return -1
	}
	p := a.m.toPass[ev]
	if p < 0 || a.pass.src[p] < 0 || a.sameSource(ev, p) {
		return -1
	}
	w := a.pass.src[p]
	if a.m.toFail[w] >= 0 {
		return -1
	}
	return a.divergence(w)
}

// divergence is the first event of the failing run in which the goroutine of
// the passing run's event w does something else than it does before w there; -1
// if it only did not get that far.
func (a *analysis) divergence(w int) int {
	g := a.pass.events[w].G
	list := a.pass.byG[g]
	last := -1
	for p := a.pass.pos[w]; p >= 0; p-- {
		if f := a.m.toFail[list[p]]; f >= 0 {
			last = f
			break
		}
	}
	if last < 0 {
		return -1
	}
	flist := a.fail.byG[a.fail.events[last].G]
	for _, x := range flist[a.fail.pos[last]+1:] {
		if a.anotherWay(x, w) && a.fail.events[x].Op == a.pass.events[w].Op && sameStack(a.fail.stack(x), a.pass.stack(w)) {
			return x // it chose otherwise at the very place
		}
	}
	for p := a.fail.pos[last] + 1; p < len(flist); p++ {
		x := flist[p]
		if isNoise(a.fail.events[x].Op) {
			continue
		}
		if a.m.toPass[x] < 0 {
			// The choice itself is the query that came last.
			if isQuery(&a.fail.events[x]) {
				return x
			}
			return a.chooser(x, last)
		}
		if a.m.toPass[x] > w && isQuery(&a.fail.events[x]) {
			return x // it came to later steps without doing w
		}
		return -1
	}
	return -1
}

// anotherWay is true of an event that the passing run lacks, or of a select that took what
// the passing run's took in a later round than that of w.
func (a *analysis) anotherWay(x, w int) bool {
	p, e := a.m.toPass[x], &a.fail.events[x]
	return p < 0 || p > w && e.Op == trace.OpSelect && e.Value != a.pass.events[w].Value
}

// chooser is the last query at or before last that event x depends on.
func (a *analysis) chooser(x, last int) int {
	best := -1
	for _, d := range a.deps(a.fail, x, false) {
		if d.ctl != nil && d.ev <= last && d.ev > best {
			best = d.ev
		}
	}
	if best < 0 {
		return x
	}
	return best
}

type nodeQueue []node

func (q nodeQueue) Len() int { return len(q) }
func (q nodeQueue) Less(i, j int) bool {
	if q[i].cost != q[j].cost {
		return q[i].cost < q[j].cost
	}
	return q[i].ev > q[j].ev // the later event first
}
func (q nodeQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *nodeQueue) Push(x any)   { *q = append(*q, x.(node)) }
func (q *nodeQueue) Pop() any {
	old := *q
	n := old[len(old)-1]
	*q = old[:len(old)-1]
	return n
}
