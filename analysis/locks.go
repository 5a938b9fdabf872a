package analysis

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// locksOf are the locks that an operation holds; a sync.Once is none.
func locksOf(e *event) []held {
	return slices.DeleteFunc(slices.Clone(e.locks), func(h held) bool { return h.once || h.done })
}

// perhapsOneLock reports whether two operations, each under locks, may hold one
// lock that goes by two paths: it is passed on, or kept behind a pointer.
func (f *finder) perhapsOneLock(x, y *event, hx, hy []held) bool {
	for _, h := range hx {
		for _, g := range hy {
			if h.mode == forReading && g.mode == forReading {
				continue
			}
			if !f.certain(x, h.lock) || !f.certain(y, g.lock) {
				return true
			}
		}
	}
	return false
}

// certain reports whether it is known which lock a path means: a variable, a
// part of an object that is made at a known place, or a field of the object that
// is accessed.
func (f *finder) certain(e *event, lock *path) bool {
	if lock.unsure {
		return false
	}
	if n := len(lock.steps); n > 0 && lock.steps[n-1].kind == toDeref {
		return false
	}
	if lock.base.kind == global || lock.base == e.path.base {
		return true
	}
	return lock.base.kind == alloc && !slices.ContainsFunc(lock.steps, func(s step) bool { return s.kind == toDeref })
}

// locked are the locks that the receiver of a Lock or Unlock may be. c.L.Lock()
// of a condition variable is its lock's.
func (w *walker) locked(c *ssa.CallCommon) []*path {
	recv := c.Value
	if !c.IsInvoke() {
		if len(c.Args) == 0 {
			return nil
		}
		recv = c.Args[0]
	}
	ps := w.p.paths(recv)
	for i, q := range ps {
		ps = slices.Clone(ps)
		ps[i] = w.p.lockOf(q)
	}
	if f, ok := recv.(*ssa.FieldAddr); ok && len(ps) == 0 { // of an object that is not known
		some := newPath(base{}, "", nil).with(fieldStep(deref(f.X.Type()), f.Field), deref(f.Type()))
		ps = []*path{some.doubtful()}
	}
	return ps
}

func (p *summarizer) lockOf(q *path) *path {
	n := len(q.steps)
	if n < 2 || q.steps[n-1].kind != toDeref || lastName(q.steps[n-2].name) != "L" {
		return q
	}
	cond := rebuilt(q, n-2)
	l, ok := p.condLocks[cond.bucket()]
	if !ok {
		return q
	}
	i := len(cond.steps)
	for i > 0 && cond.steps[i-1].kind != toField {
		i--
	}
	if i == 0 {
		return q
	}
	if r := rebuilt(q, i-1).with(l, nil); r != nil {
		return r
	}
	return q
}

// rebuilt is the path's first n steps.
func rebuilt(q *path, n int) *path {
	r := newPath(q.base, q.name, nil)
	r.unsure = q.unsure
	for _, s := range q.steps[:n] {
		r = r.with(s, nil)
	}
	return r
}

func (w *walker) take(state []held, locks []*path, m lockMode, in ssa.Instruction) []held {
	if len(locks) == 0 {
		return state
	}
	l := locks[0]
	if len(locks) > 1 {
		l = l.doubtful()
	}
	return retaken(state, held{lock: l, mode: m, at: w.here(in)})
}

// retaken is the state with one more lock, which is no longer given back.
func retaken(state []held, h held) []held {
	out := slices.DeleteFunc(slices.Clone(state), func(g held) bool { return g.gone && g.lock.key == h.lock.key })
	return append(out, h)
}

// release removes a lock; one that is not held was taken by the caller.
func (w *walker) release(state []held, locks []*path, in ssa.Instruction) []held {
	for _, l := range locks {
		for i := len(state) - 1; i >= 0; i-- {
			if state[i].lock.key == l.key && !state[i].gone {
				return slices.Delete(slices.Clone(state), i, i+1)
			}
		}
	}
	if len(locks) == 0 || slices.ContainsFunc(state, func(h held) bool { return h.gone && h.lock.key == locks[0].key }) {
		return state
	}
	return append(slices.Clip(slices.Clone(state)), held{lock: locks[0], mode: forWriting, at: w.here(in), gone: true})
}
