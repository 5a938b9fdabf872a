package sim

import (
	"fmt"
	"path"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// What a run with Record Full writes down.

func (m *machine) full() bool { return m.spec.Record != run.Light }

// event records what t did.
func (m *machine) event(t *Thread, e trace.Event) {
	if m.full() {
		e.G, e.Count = t.id, t.count
		m.append(e)
	}
}

func (m *machine) append(e trace.Event) {
	if m.full() {
		e.Seq, e.Time = len(m.events), m.now
		m.events = append(m.events, e)
	}
}

// first records the start of t: late, but before anything else that it does.
func (m *machine) first(t *Thread) {
	if !t.started {
		t.started = true
		m.event(t, trace.Event{Op: trace.OpStart})
	}
}

// standing records the operations that threads are about to perform at the end
// of the run, and the one in which failed failed.
func (m *machine) standing(failed *Thread) {
	for _, t := range m.threads {
		switch {
		case t == failed && t.inside && !t.pending.inner:
			m.stands(t, t.count-1)
		case t != failed && t.at && !t.blocked && !t.ended:
			m.stands(t, t.count)
		}
	}
}

func (m *machine) stands(t *Thread, count uint32) {
	if m.full() {
		m.pendings = append(m.pendings, trace.Event{
			G: t.id, Op: t.pending.kind, Obj: t.pending.obj.ID(), Stack: m.stack(t.pending.at), Count: count, Time: m.now, Aux: t.capacity(),
		})
	}
}

// capacity is that of the channel that t is about to send to or receive from,
// shifted as in events; 0 otherwise.
func (t *Thread) capacity() uint64 {
	if k := t.pending.kind; k != trace.OpSend && k != trace.OpRecv {
		return 0
	}
	return t.pending.aux >> 32 << 32
}

func (m *machine) stack(p place) trace.StackID {
	if !m.full() {
		return 0
	}
	m.stacks = append(m.stacks, []trace.Frame{p.frame})
	m.sites = append(m.sites, p.site())
	return trace.StackID(len(m.stacks) - 1)
}

func (m *machine) hashIn(xs ...uint64) {
	for _, x := range xs {
		m.hash = (m.hash ^ x) * 1099511628211
	}
}

// object is what all shared objects have in common.
type object struct {
	id trace.ObjID
	vc clock  // released by synchronisation on it
	by writer // of the last write or synchronisation
}

// ID is 0 of no object.
func (o *object) ID() trace.ObjID {
	if o == nil {
		return 0
	}
	return o.id
}

// object registers an object under its schedule-independent name. Parts of one
// allocation differ by offset; only a part at 0 counts as allocated.
func (t *Thread) object(at place, kind trace.ObjKind, typ, elem string, size, offset int) object {
	m := t.m
	if offset == 0 {
		t.made[at.pc]++
	}
	id := trace.ObjID(len(m.objects))
	name := fmt.Sprintf("alloc:%s:%s:%s:%d#%d+%d", t.path, at.frame.Func, path.Base(at.frame.File), at.frame.Line, t.made[at.pc], offset)
	m.objects = append(m.objects, trace.Object{
		ID: id, Kind: kind, Addr: 0xc000000000 + uint64(id)*64, Size: size, Name: name,
		Var: fmt.Sprintf("%s (made in %s:%d)", typ, path.Base(at.frame.File), at.frame.Line), Type: typ, Elem: elem,
		Alloc: m.stack(at), Born: len(m.events),
	})
	return object{id: id}
}

func leaks(n int) string {
	if n == 1 {
		return "1 goroutine is blocked for ever"
	}
	return fmt.Sprintf("%d goroutines are blocked for ever", n)
}

func (m *machine) trace(r *run.Result) *trace.Trace {
	tr := &trace.Trace{
		Version: trace.Version, Goroutines: []trace.Goroutine{{}}, Objects: m.objects,
		Stacks: m.stacks, Sites: m.sites, Events: m.events, Pending: m.pendings, Schedule: r.Schedule, Hash: r.Hash, Steps: r.Steps,
		VirtualNS: m.now, Outcome: r.Outcome, External: r.External,
	}
	for _, t := range m.threads {
		f := "main.main"
		if fs := tr.Stack(t.spawn); t.id > 1 && len(fs) > 0 {
			f = fmt.Sprintf("%s.func%d", fs[0].Func, t.index)
		}
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{
			ID: t.id, Parent: t.parent, Index: t.index, Path: t.path, Key: t.key,
			Func: f, Display: "goroutine " + t.path, Spawn: t.spawn, Ended: t.ended,
		})
	}
	return tr
}
