package sim

import "github.com/hocket-dev/hocket/engine/trace"

// This file is for programs that are interpreted themselves: they name their
// objects and keep what is in memory.

// Object says what an interpreted program knows of a shared object.
type Object struct {
	Name string // schedule-independent, as trace.Object.Name has it
	Type string
	Elem string // reflect's kind of what is in it; "" if its bits say nothing
	Size int    // bytes
}

// named registers an object under a name of its own.
func (t *Thread) named(kind trace.ObjKind, o Object) object {
	m := t.m
	id := trace.ObjID(len(m.objects))
	m.objects = append(m.objects, trace.Object{
		ID: id, Kind: kind, Addr: 0xc000000000 + uint64(id)*64, Size: o.Size, Name: o.Name,
		Var: o.Name, Type: o.Type, Elem: o.Elem, Born: len(m.events),
	})
	return object{id: id}
}

// Cell is shared memory whose content the interpreted program keeps.
type Cell struct {
	object
	access shadow
}

// Cell, NamedMutex and the others make objects of interpreted programs.
func (t *Thread) Cell(o Object) *Cell { return &Cell{object: t.named(trace.ObjHeap, o)} }

func (t *Thread) NamedMutex(o Object) *Mutex { return &Mutex{object: t.named(trace.ObjHeap, o)} }

func (t *Thread) NamedRWMutex(o Object) *RWMutex { return &RWMutex{object: t.named(trace.ObjHeap, o)} }

func (t *Thread) NamedWaitGroup(o Object) *WaitGroup {
	return &WaitGroup{object: t.named(trace.ObjHeap, o)}
}

func (t *Thread) NamedCond(o Object) *Cond { return &Cond{object: t.named(trace.ObjHeap, o)} }

func (t *Thread) NamedOnce(done, lock Object) *Once {
	return &Once{done: &Int{object: t.named(trace.ObjHeap, done)}, m: t.NamedMutex(lock)}
}

func (t *Thread) NamedChan(o Object, capacity int) *Chan {
	return &Chan{object: t.named(trace.ObjChan, o), cap: capacity, slots: make([]clock, capacity)}
}

// CloseEarly closes a channel before anything runs that could notice.
func (t *Thread) CloseEarly(c *Chan) { c.closed = true }

// Place sets the place for the operations that follow, as At does. Number tells it
// from all others, also from those of its line; Site(number) is its site.
func (t *Thread) Place(function, file string, line, number int) {
	t.said = &place{frame: trace.Frame{Func: function, File: file, Line: line}, pc: uint64(number)}
}

// Access is a plain access to a cell, a switch point only where hot: do reads or
// writes, and returns the value as bits. A part of an access that has begun is no
// switch point.
func (t *Thread) Access(c *Cell, write, part bool, do func() uint64) {
	o := &op{kind: trace.OpRead, obj: &c.object, at: t.here(), write: write, aux: 8}
	if write {
		o.kind = trace.OpWrite
	}
	o.run = always(func() {
		c.access.check(t, o)
		o.value = do()
	})
	if t.m.hot[o.at.pc] && !part {
		t.perform(o)
		return
	}
	t.m.first(t)
	o.run()
	t.m.pair(t, o)
	t.m.event(t, trace.Event{Op: o.kind, Obj: c.id, Stack: t.m.stack(o.at), Value: o.value, HasValue: true, Aux: o.aux})
}

// Atomic is an atomic load, store or read-modify-write of a cell, or an operation of
// sync.Map or sync.Pool; do performs it and returns the event's value and aux, as
// trace.Op documents them.
func (t *Thread) Atomic(kind trace.Op, c *Cell, do func() (value, aux uint64)) {
	at := t.here()
	reads := kind == trace.OpAtomicLoad || kind == trace.OpMapRead
	o := &op{kind: kind, obj: &c.object, at: at, write: !reads}
	o.run = always(func() {
		if kind != trace.OpAtomicStore {
			t.acquire(&c.object)
		}
		if !reads {
			t.releaseMerge(&c.object)
		}
		o.value, o.aux = do()
	})
	t.perform(o)
}

// CompareAndSwap is that of a cell, which holds current() and expects old.
func (t *Thread) CompareAndSwap(c *Cell, old uint64, do func() (swapped bool, aux uint64)) (swapped bool) {
	at := t.here()
	o := &op{kind: trace.OpAtomicCAS, obj: &c.object, at: at, write: true}
	o.run = always(func() {
		t.acquire(&c.object)
		t.m.event(t, trace.Event{Op: trace.OpAtomicOld, Obj: c.id, Stack: t.m.stack(at), Value: old, HasValue: true})
		if swapped, o.aux = do(); swapped {
			t.releaseMerge(&c.object)
			o.value = 1
		}
	})
	t.perform(o)
	return swapped
}

// Skip counts switch points that the thread passes inside of what is not
// interpreted: its later ones have the numbers that they have in the real program.
func (t *Thread) Skip(n int) {
	if n > 0 {
		t.m.first(t)
		t.count += uint32(n)
		t.m.segments[len(t.m.segments)-1].Until = t.count
	}
}

// Children says that the thread has started n goroutines that are not interpreted.
func (t *Thread) Children(n int) { t.spawned = n }

// Path is the thread's schedule-independent name.
func (t *Thread) Path() string { return t.path }

// Abandon ends the run without a verdict, as a limit does.
func (t *Thread) Abandon(why string) {
	t.m.over = true
	t.m.outcome = trace.Outcome{Kind: trace.StepLimit, Message: why}
	panic(killed{})
}
