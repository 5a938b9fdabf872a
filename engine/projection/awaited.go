package projection

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// coming is what let a waiter's operation go on in a passing run.
type coming struct {
	m    *matching
	at   int   // the passing run's event of that operation
	evs  []int // the passing run's events that let it go on: receives, sends, a close, Dones, a signal
	none []int // those of them that the failing run lacks, or others like them
}

// awaited finds a passing run, the nearest first, in which the waiter's
// operation went on.
func (a *analysis) awaited(w *waiter) *coming {
	for _, m := range a.matchings() {
		at := m.next(w)
		if at < 0 {
			continue
		}
		c := &coming{m: m, at: at, evs: m.pass.letGo(at)}
		if len(c.evs) == 0 && !(isSend(&m.pass.events[at]) && m.otherHelp(w.Op, at) != nil) {
			continue // nothing had to come, or it is not known what
		}
		refused := false
		for _, p := range c.evs {
			f := m.toFail[p]
			if f < 0 || !helps(w.Op, &m.fail.events[f]) && !isRefused(&m.fail.events[f]) {
				c.none = append(c.none, p)
			}
			refused = refused || f >= 0 && isRefused(&m.fail.events[f])
		}
		if len(c.none) == 0 && !isCondOp(w.Op) && !refused {
			c.none = m.otherHelp(w.Op, at)
		}
		return c
	}
	return nil
}

// matchings are those with the passing runs, the nearest first.
func (a *analysis) matchings() []*matching {
	if a.pass == nil {
		return nil
	}
	out := []*matching{a.m}
	for _, m := range a.others {
		if m != a.m {
			out = append(out, m)
		}
	}
	return out
}

// next is the passing run's event of the operation in which w waits: the first
// such after what its goroutine does in both runs. -1 if there is none.
func (m *matching) next(w *waiter) int {
	g := m.pass.byPath(m.fail.Goroutines[w.G].Path)
	if g == 0 {
		return -1
	}
	last := -1
	for _, x := range m.fail.byG[w.G] {
		last = max(last, m.toPass[x])
	}
	names := m.fail.namesAt(w)
	for _, p := range m.pass.byG[g] {
		e := &m.pass.events[p]
		if p <= last {
			continue
		}
		same := e.Op == w.Op || isCondOp(w.Op) && e.Op == trace.OpCondWake
		if same && int(e.Obj) < len(m.pass.Objects) && (names[m.pass.Objects[e.Obj].Name] || e.Op == trace.OpSelect && len(names) > 0 && e.Obj != 0) {
			return p
		}
	}
	return -1
}

func isCondOp(op trace.Op) bool { return op == trace.OpCondWait || op == trace.OpCondWake }

// letGo are the events of other goroutines that let an operation complete.
func (r *run) letGo(at int) []int {
	e := &r.events[at]
	switch {
	case e.Op == trace.OpWGWait:
		return r.dones(at)
	case e.Op == trace.OpCondWake:
		if s := r.wokenBy(at); s >= 0 {
			return []int{s}
		}
		return nil
	case isSend(e):
		if i := slices.Index(r.src, at); i >= 0 && r.capacity(e.Obj) == 0 {
			return []int{i}
		}
		return r.room(at)
	}
	if s := r.src[at]; s >= 0 && r.events[s].G != e.G {
		return []int{s}
	}
	return nil
}

// room are the receives that made room for a send on a buffered channel.
func (r *run) room(send int) []int {
	var out []int
	for i := range r.events[:send] {
		if r.events[i].Obj == r.events[send].Obj && isRecv(&r.events[i]) {
			out = append(out, i)
		}
	}
	return out
}

// otherHelp finds, where what let the operation go on happens in the failing
// run as well, but for somebody else, what is missing there instead.
func (m *matching) otherHelp(op trace.Op, at int) []int {
	for p := range m.pass.events {
		e := &m.pass.events[p]
		if e.Obj == m.pass.events[at].Obj && e.G != m.pass.events[at].G && m.toFail[p] < 0 && helps(op, e) {
			return []int{p}
		}
	}
	return nil
}

// capacity of a channel of the failing run, as any run shows it; -1 if none does.
func (a *analysis) capacity(obj trace.ObjID) int {
	if n := a.fail.capacity(obj); n >= 0 || int(obj) >= len(a.fail.Objects) {
		return n
	}
	for _, r := range a.passes {
		for _, o := range r.Objects[1:] {
			if o.Name != a.fail.Objects[obj].Name {
				continue
			}
			if n := r.capacity(o.ID); n >= 0 {
				return n
			}
		}
	}
	return -1
}

// capacity of a channel, -1 if no event shows it.
func (r *run) capacity(obj trace.ObjID) int {
	for i := range r.events {
		e := &r.events[i]
		if e.Obj != obj || obj == 0 {
			continue
		}
		switch {
		case e.Op == trace.OpSend, e.Op == trace.OpRecv, e.Op == trace.OpClose, e.Op == trace.OpSelectCase:
			return int(e.Aux >> 32)
		case e.Op == trace.OpBlock && (trace.Op(e.Aux) == trace.OpSend || trace.Op(e.Aux) == trace.OpRecv):
			return int(e.Value >> 32)
		}
	}
	return -1
}
