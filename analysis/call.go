package analysis

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// call is the effect of a call on the locks held; when emitting, its events.
func (w *walker) call(in ssa.Instruction, c *ssa.CallCommon, m linkMode, state []held) []held {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		w.builtin(in, b.Name(), c.Args, state)
		return state
	}
	fn := called(c)
	if o := syncOp(fn); o != opNone && (fn.Pkg().Path() != errgroupPath || len(w.p.callees(c)) == 0) {
		return w.sync(in, c, o, state)
	}
	if isOnce(fn) {
		return w.once(in, c, state)
	}
	if s, ok := startedBy(c); ok && s.fn < len(c.Args) && (fn.Pkg().Path() == "sync" || len(w.p.callees(c)) == 0) {
		w.starts(in, c, s, lasting(state))
		return state
	}
	fns := w.p.callees(c)
	for _, f := range fns {
		if w.emit {
			w.called(f, in)
		}
		s := w.summaryOf(f, c)
		b := w.p.binding(in, c, f, m)
		if w.emit {
			b.events(s, state, w.add)
		}
		if len(fns) == 1 {
			state = w.net(b, s, state)
		}
	}
	if len(fns) == 0 {
		w.unseen(in, c, m, state)
	}
	return state
}

// called counts the places that call a function.
func (w *walker) called(f *ssa.Function, in ssa.Instruction) {
	if w.p.callSites[f] == nil {
		w.p.callSites[f] = map[ssa.Instruction]bool{}
	}
	w.p.callSites[f][in] = true
}

// net applies the locks that a callee takes or gives back.
func (w *walker) net(b *binding, s *summary, state []held) []held {
	for _, r := range s.released {
		state = w.release(state, b.paths(r.lock), b.prefix[0].instr)
	}
	for _, h := range b.locks(s.acquired) {
		state = retaken(still(state, []held{h}), h)
	}
	return state
}

// sync is an operation of sync or sync/atomic.
func (w *walker) sync(in ssa.Instruction, c *ssa.CallCommon, o op, state []held) []held {
	locks := w.locked(c)
	mode := func(e *event) {
		if o == opSwap && strings.HasPrefix(called(c).Name(), "CompareAndSwap") {
			e.value = derived
			e.fresh = fresh(c.Args[len(c.Args)-1])
		}
		if o == opStore && len(c.Args) > 1 {
			v := c.Args[len(c.Args)-1]
			e.value, e.given, e.fresh = constantValue(v), parameter(v), fresh(v)
		}
	}
	w.at(in, o, locks, state, mode)
	switch o {
	case opLock:
		return w.take(state, locks, forWriting, in)
	case opRLock:
		return w.take(state, locks, forReading, in)
	case opUnlock:
		return w.release(state, locks, in)
	}
	return state
}

// once runs its function under a lock of its own; what follows comes after
// that, as if it held the lock for reading from then on.
func (w *walker) once(in ssa.Instruction, c *ssa.CallCommon, state []held) []held {
	if len(c.Args) != 2 {
		return state
	}
	once := w.p.paths(c.Args[0])
	inside := w.take(state, once, forWriting, in)
	if len(inside) > len(state) {
		inside[len(state)].once = true
	}
	w.runs(in, c.Args[1], plain, inside)
	after := w.take(state, once, forReading, in)
	if len(after) > len(state) {
		after[len(state)].done = true
	}
	return after
}

// starts is a library call that runs a function in a goroutine.
func (w *walker) starts(in ssa.Instruction, c *ssa.CallCommon, s starter, state []held) {
	if !w.emit {
		return
	}
	w.runs(in, c.Args[s.fn], spawned, state)
	if s.group >= 0 {
		for _, g := range w.p.paths(c.Args[s.group]) {
			w.add(&event{op: opDone, path: g, fn: w.fn,
				chain: w.p.link(in, spawned, w.p.link(in, ended, nil))})
		}
	}
}

// started is a go statement.
func (w *walker) started(in ssa.Instruction, c *ssa.CallCommon, m linkMode, state []held) {
	if _, ok := c.Value.(*ssa.Builtin); ok || !w.emit {
		return
	}
	fns := w.p.callees(c)
	for _, f := range fns {
		w.called(f, in)
		w.p.binding(in, c, f, m).events(w.summaryOf(f, c), state, w.add)
	}
	if len(fns) == 0 {
		w.unseen(in, c, m, state)
		if o := syncOp(called(c)); o != opNone {
			w.at(in, o, w.locked(c), nil, func(e *event) {
				e.chain = w.p.link(in, spawned, w.p.link(in, plain, nil))
			})
		}
	}
}

// runs is a function value that is run here or, spawned, in a goroutine.
func (w *walker) runs(in ssa.Instruction, v ssa.Value, m linkMode, state []held) {
	if !w.emit {
		return
	}
	for _, q := range w.p.paths(v) {
		if fn := w.p.WithBody(functionOf(q)); fn != nil {
			b := &binding{p: w.p, prefix: []linkOf{{in, m}}, spawn: m == spawned}
			b.close(v, fn)
			b.events(w.p.summary(fn), state, w.add)
		} else if q.base.kind == param || q.base.kind == free {
			w.add(&event{op: opCall, path: q, chain: w.p.link(in, m, nil), fn: w.fn, locks: state})
		}
	}
}

// unseen is a call of code that is not at hand: a function value that the
// caller gives, or a library that may call the functions it is given.
func (w *walker) unseen(in ssa.Instruction, c *ssa.CallCommon, m linkMode, state []held) {
	if !w.emit {
		return
	}
	if called(c) == nil {
		var args [][]*path
		for _, a := range c.Args {
			args = append(args, w.p.paths(a))
		}
		for _, q := range w.p.paths(c.Value) {
			if q.base.kind == param || q.base.kind == free {
				w.add(&event{op: opCall, path: q, args: args, chain: w.p.link(in, m, nil), fn: w.fn, locks: state})
			}
		}
		return
	}
	for _, a := range c.Args {
		if isFunc(a) {
			w.runs(in, a, m, state)
		}
	}
}

func isFunc(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.MakeClosure, *ssa.Function:
		return true
	}
	return false
}

func (w *walker) builtin(in ssa.Instruction, name string, args []ssa.Value, state []held) {
	if !w.emit || len(args) == 0 {
		return
	}
	switch name {
	case "close":
		w.at(in, opClose, w.p.paths(args[0]), state, nil)
	case "delete", "clear":
		w.at(in, opWrite, w.elems(args[0]), state, func(e *event) { e.value = nilValue })
	case "copy":
		w.at(in, opWrite, w.elems(args[0]), state, nil)
		w.at(in, opRead, w.elems(args[1]), state, nil)
	case "append":
		w.append(in, args, state)
	}
}

// append writes behind the slice's length, into memory that all slices of the
// array share, unless the slice itself is replaced by the result.
func (w *walker) append(in ssa.Instruction, args []ssa.Value, state []held) {
	if len(args) > 1 {
		w.at(in, opRead, w.elems(args[1]), state, nil)
	}
	v, _ := in.(ssa.Value)
	load, ok := args[0].(*ssa.UnOp)
	if !ok || v == nil {
		return
	}
	for _, r := range *v.Referrers() {
		if st, ok := r.(*ssa.Store); ok && samePlace(w.p.paths(st.Addr), w.p.paths(load.X)) {
			return
		}
	}
	w.at(in, opWrite, w.p.step(w.p.paths(args[0]), step{kind: toSpare}, nil), state, func(e *event) { e.value = grownValue })
}

// runDefers runs the deferred calls, the last first, with the locks that are
// held where the function ends.
func (w *walker) runDefers() {
	state := w.exits
	slices.SortStableFunc(w.defers, func(a, b *ssa.Defer) int {
		switch {
		case w.p.CanFollow(a, b) && !w.p.CanFollow(b, a):
			return 1
		case w.p.CanFollow(b, a) && !w.p.CanFollow(a, b):
			return -1
		}
		return 0
	})
	for _, d := range w.defers {
		state = w.call(d, &d.Call, deferred, state)
	}
	w.exits = state
}
