package analysis

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// walker makes the summary of one function: first which locks are certainly
// held where (a forward dataflow, intersection at joins), then the events.
type walker struct {
	p      *summarizer
	fn     *ssa.Function
	sum    *summary
	in     map[*ssa.BasicBlock][]held
	emit   bool
	given  string // what is known of the parameters, as in summaryFor
	exits  []held // held where the function ends
	ended  bool   // exits was set
	defers []*ssa.Defer
}

func newWalker(p *summarizer, fn *ssa.Function) *walker {
	return &walker{p: p, fn: fn, sum: &summary{fn: fn}, in: map[*ssa.BasicBlock][]held{}}
}

func (w *walker) walk() *summary {
	w.fixpoint()
	w.emit, w.ended = true, false
	for _, b := range w.fn.Blocks {
		if state, ok := w.in[b]; ok {
			w.block(b, state)
		}
	}
	w.runDefers()
	w.returns()
	return w.sum
}

func (w *walker) fixpoint() {
	work := []*ssa.BasicBlock{w.fn.Blocks[0]}
	w.in[w.fn.Blocks[0]] = nil
	if r := w.fn.Recover; r != nil {
		w.in[r] = nil
	}
	for len(work) > 0 && w.p.ctx.Err() == nil {
		b := work[0]
		work = work[1:]
		out := w.block(b, w.in[b])
		for i, s := range b.Succs {
			if !w.takes(b, i) {
				continue
			}
			state := w.branch(b, i, out)
			old, seen := w.in[s]
			if seen {
				state = intersect(old, state)
				if len(state) == len(old) {
					continue
				}
			}
			w.in[s] = state
			if !slices.Contains(work, s) {
				work = append(work, s)
			}
		}
	}
}

// branch adds what a successful TryLock holds.
func (w *walker) branch(b *ssa.BasicBlock, succ int, out []held) []held {
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return out
	}
	v, want := cond.Cond, 0
	if not, ok := v.(*ssa.UnOp); ok && not.Op == token.NOT {
		v, want = not.X, 1
	}
	call, ok := v.(*ssa.Call)
	if !ok || succ != want || syncOp(called(&call.Call)) != opTryLock {
		return out
	}
	return w.take(out, w.locked(&call.Call), forWriting, call)
}

func intersect(a, b []held) []held {
	var out []held
	for _, h := range a {
		for _, g := range b {
			if h.lock.key == g.lock.key && h.gone == g.gone {
				h.mode = min(h.mode, g.mode)
				out = append(out, h)
				break
			}
		}
	}
	return out
}

func (w *walker) block(b *ssa.BasicBlock, state []held) []held {
	for _, in := range b.Instrs {
		state = w.instr(in, state)
	}
	return state
}

// here is the chain of an operation of this function.
func (w *walker) here(in ssa.Instruction) *chain {
	if _, ok := in.(*ssa.Defer); ok {
		return w.p.link(in, deferred, nil)
	}
	return w.p.link(in, plain, nil)
}

// add reports whether there is room for more.
func (w *walker) add(e *event) bool {
	if len(w.sum.events) < maxEvents {
		w.sum.events = append(w.sum.events, e)
	} else {
		w.p.cut.fullAt(w.fn)
	}
	return len(w.sum.events) < maxEvents
}

// at records an operation at each place that it may concern.
func (w *walker) at(in ssa.Instruction, o op, ps []*path, state []held, set func(*event)) {
	if !w.emit {
		return
	}
	for _, q := range ps {
		if q == nil || q.base.kind == function || o.access() && private(q) {
			continue
		}
		e := &event{op: o, path: q, chain: w.here(in), fn: w.fn, locks: state}
		e.own = o.access() && w.p.own(q, in)
		if set != nil {
			set(e)
		}
		w.add(e)
	}
}

// private reports a local variable that no one else can reach.
func private(q *path) bool {
	if q.base.kind != alloc {
		return false
	}
	a, ok := q.base.ctx.last().instr.(*ssa.Alloc)
	return ok && !a.Heap && !slices.ContainsFunc(q.steps, func(s step) bool { return s.kind == toDeref })
}

func (w *walker) instr(in ssa.Instruction, state []held) []held {
	switch in := in.(type) {
	case *ssa.Store:
		if l, ok := in.Val.(*ssa.UnOp); ok && l.Op == token.MUL && l.X == in.Addr {
			break // a named result that is returned
		}
		w.at(in, opWrite, w.p.paths(in.Addr), state, func(e *event) {
			e.value = w.stored(in)
			e.given, e.fresh = parameter(in.Val), fresh(in.Val)
			if pointerLike(in.Val.Type()) {
				e.to = w.p.paths(in.Val)
			}
		})
		w.condition(in)
		w.channelStored(in)
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			w.at(in, opRead, w.p.paths(in.X), state, nil)
		case token.ARROW:
			w.at(in, opReceive, w.p.paths(in.X), state, func(e *event) { e.block = true })
		}
	case *ssa.Send:
		w.at(in, opSend, w.p.paths(in.Chan), state, func(e *event) { e.block = true })
	case *ssa.Select:
		w.selected(in, state)
	case *ssa.MapUpdate:
		w.at(in, opWrite, w.elems(in.Map), state, nil)
	case *ssa.Lookup:
		if _, isMap := in.X.Type().Underlying().(*types.Map); isMap {
			w.at(in, opRead, w.elems(in.X), state, nil)
		}
	case *ssa.Range:
		if _, isMap := in.X.Type().Underlying().(*types.Map); isMap {
			w.at(in, opRead, w.elems(in.X), state, nil)
		}
	case *ssa.Go:
		w.started(in, &in.Call, spawned, lasting(state))
	case *ssa.Defer:
		if !w.emit && !slices.Contains(w.defers, in) {
			w.defers = append(w.defers, in)
		}
	case *ssa.Call:
		return w.call(in, &in.Call, plain, state)
	case *ssa.Return:
		if in.Block() == w.fn.Recover {
			break // what is held there is not known, and the ends without a panic tell more
		}
		if w.ended {
			w.exits = intersect(w.exits, state)
		} else {
			w.exits, w.ended = state, true
		}
	}
	return state
}

func (w *walker) elems(v ssa.Value) []*path {
	return w.p.step(w.p.paths(v), step{kind: toElem}, nil)
}

func (w *walker) selected(in *ssa.Select, state []held) {
	for _, s := range in.States {
		o := opReceive
		if s.Dir == types.SendOnly {
			o = opSend
		}
		w.at(in, o, w.p.paths(s.Chan), state, func(e *event) { e.sel, e.state, e.block = in, s, in.Blocking })
	}
}

// stored is what is known of a stored value.
func (w *walker) stored(in *ssa.Store) value {
	switch v := in.Val.(type) {
	case *ssa.Const:
		return constantValue(v)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return grownValue
		}
	case *ssa.BinOp:
		for _, x := range []ssa.Value{v.X, v.Y} {
			if l, ok := x.(*ssa.UnOp); ok && l.Op == token.MUL && samePlace(w.p.paths(l.X), w.p.paths(in.Addr)) {
				return derived
			}
		}
	}
	return anyValue
}

func samePlace(a, b []*path) bool {
	return len(a) == 1 && len(b) == 1 && a[0].key == b[0].key
}

// condition remembers which lock belongs to a condition variable.
func (w *walker) condition(in *ssa.Store) {
	var lock ssa.Value
	var at []*path
	if c, ok := in.Val.(*ssa.Call); ok && apiName(called(&c.Call)) == "sync.NewCond" {
		lock, at = c.Call.Args[0], w.p.paths(in.Addr)
	} else if f, ok := in.Addr.(*ssa.FieldAddr); ok && typeName(deref(f.X.Type())) == "Cond" {
		lock, at = in.Val, w.p.paths(f.X)
	} else {
		return
	}
	for _, q := range at {
		for _, l := range w.p.paths(lock) {
			if n := len(l.steps); n > 0 && q.bucket() != "" && l.steps[n-1].kind == toField {
				w.p.condLocks[q.bucket()] = l.steps[n-1]
			}
		}
	}
}

// returns says what the function returns, and which locks it leaves held.
func (w *walker) returns() {
	n := w.fn.Signature.Results().Len()
	w.sum.returns = make([][]*path, n)
	for _, b := range w.fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for i, v := range ret.Results {
			if i < n && pointerLike(v.Type()) {
				for _, q := range w.p.paths(v) {
					if !slices.ContainsFunc(w.sum.returns[i], func(o *path) bool { return o.key == q.key }) {
						w.sum.returns[i] = append(w.sum.returns[i], q)
					}
				}
			}
		}
	}
	for _, h := range w.exits {
		if h.gone {
			w.sum.released = append(w.sum.released, h)
		} else {
			w.sum.acquired = append(w.sum.acquired, h)
		}
	}
}

// constantValue tells nil, false and 0 from other constants; anyValue for what
// is no constant.
func constantValue(v ssa.Value) value {
	c, ok := v.(*ssa.Const)
	switch {
	case !ok:
		return anyValue
	case c.Value == nil,
		c.Value.Kind() == constant.Bool && !constant.BoolVal(c.Value),
		c.Value.Kind() == constant.Int && constant.Sign(c.Value) == 0:
		return nilValue
	}
	return trueValue
}

// parameter is 1 more than the index of the parameter that a value is, else 0.
func parameter(v ssa.Value) int {
	if p, ok := v.(*ssa.Parameter); ok {
		return slices.Index(p.Parent().Params, p) + 1
	}
	return 0
}

// fresh reports a value that is certainly not nil.
func fresh(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeClosure, *ssa.Function:
		return true
	case *ssa.MakeInterface:
		return true
	case *ssa.ChangeType:
		return fresh(v.X)
	}
	return false
}
