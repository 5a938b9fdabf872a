package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
)

// place names a point: an operation on a source line.
type place struct {
	kind points.Kind
	file string
	line int
	op   trace.Op
	fn   string // telling apart closures on one line
	pref int    // of a select: the preferred case, -1 for none
}

// oper is one operation of a goroutine, from the statement's start to its
// completion. It may wait in between.
type oper struct {
	g       trace.GID
	at      place
	visit   bool // begins a new visit to at
	start   int  // event index at which a point before it would be reached at the latest
	end     int  // event index of completion; -1 if it never completed
	blocked bool // parked before it completed
	parked  int  // event index of the first park
	held    bool // parked, but a point before it can hold the goroutine instead
}

// reader turns the events of a trace into opers, goroutine by goroutine.
type reader struct {
	t     *trace.Trace
	opers map[trace.GID][]*oper
	open  map[trace.GID]*oper           // parked
	cond  map[trace.GID]*oper           // inside Cond.Wait
	alive map[trace.GID][]activeVisit   // statements being executed, outermost first
	user  map[trace.StackID]trace.Frame // memo
}

// activeVisit is a statement that a goroutine is executing: a frame at a depth
// (counted from the outermost), and the operations seen in it so far.
type activeVisit struct {
	depth int
	frame trace.Frame
	seen  map[seenOp]bool
}

type seenOp struct {
	stack trace.StackID
	op    trace.Op
}

func readOpers(t *trace.Trace, limit int) *reader {
	r := &reader{t: t, opers: map[trace.GID][]*oper{}, open: map[trace.GID]*oper{}, cond: map[trace.GID]*oper{},
		alive: map[trace.GID][]activeVisit{}, user: map[trace.StackID]trace.Frame{}}
	for i := range t.Events[:limit] {
		r.event(i, &t.Events[i])
	}
	return r
}

// isOp is true of events that are operations a point can stand before.
func isOp(op trace.Op) bool {
	switch op {
	case trace.OpNone, trace.OpStart, trace.OpEnd, trace.OpBlock, trace.OpUnblock, trace.OpTimer, trace.OpSyscall,
		trace.OpTestFail, trace.OpPanic, trace.OpPanicStart, trace.OpFatal, trace.OpExit:
		return false
	}
	return true
}

func (r *reader) event(i int, e *trace.Event) {
	if e.G == 0 {
		return
	}
	if e.Op == trace.OpBlock {
		r.park(i, e)
		return
	}
	if !isOp(e.Op) || e.Op == trace.OpOnceDo && e.Value == 1 {
		return // a Once.Do that ran its function began before what it ran
	}
	if x := r.open[e.G]; x != nil {
		delete(r.open, e.G)
		r.complete(x, i, e)
		if x.at.op == e.Op || e.Op == trace.OpCondWake {
			return
		}
	}
	if c := r.cond[e.G]; c != nil { // Unlock, (park, wake), Lock of one Wait
		if e.Op != trace.OpLock {
			return
		}
		delete(r.cond, e.G)
		r.begin(i, e, e.Op, points.CondWake).end = i
		return
	}
	x := r.begin(i, e, e.Op, points.At)
	x.end = i
	if e.Op == trace.OpCondWait {
		r.cond[e.G] = x
	}
	if e.Op == trace.OpSelect {
		x.at = selectPlace(x.at, e)
	}
}

// park notes that a goroutine waits in the middle of an operation.
func (r *reader) park(i int, e *trace.Event) {
	if r.open[e.G] != nil {
		return // woken in vain, and waiting again
	}
	op := trace.Op(e.Aux)
	last := r.last(e.G)
	if c := r.cond[e.G]; c != nil && op == trace.OpCondWait {
		c.end = -1
		c.blocked, c.parked, r.open[e.G] = true, i, c
		return
	}
	if op == trace.OpNone || op == trace.OpSleep || last != nil && last.at.op == trace.OpSleep && last.end == i-1 {
		return // ends by itself
	}
	kind := points.At
	if r.cond[e.G] != nil {
		kind = points.CondWake
		delete(r.cond, e.G)
	}
	x := r.begin(i, e, op, kind)
	x.blocked, x.parked = true, i
	r.open[e.G] = x
}

func (r *reader) last(g trace.GID) *oper {
	if xs := r.opers[g]; len(xs) > 0 {
		return xs[len(xs)-1]
	}
	return nil
}

// complete ends a parked operation. One that only waited for a mutex, or for a
// WaitGroup, did not matter to anyone while it waited: a point before it can
// hold the goroutine until its turn, which keeps the order exact.
func (r *reader) complete(x *oper, i int, e *trace.Event) {
	x.end = i
	x.held = x.at.op == trace.OpWGWait || x.at.op == trace.OpLock && r.isMutex(e.Obj, x)
	if x.held {
		x.start = i
	}
	if e.Op == trace.OpSelect {
		x.at = selectPlace(x.at, e)
	}
}

// isMutex tells a Mutex from an RWMutex, whose waiting writers hold up readers.
func (r *reader) isMutex(obj trace.ObjID, x *oper) bool {
	switch r.t.Object(obj).Type {
	case "sync.RWMutex":
		return false
	case "sync.Mutex":
		return true
	}
	for _, ev := range r.t.Events { // untyped: an RWMutex shows by its readers
		if ev.Obj == obj && (ev.Op == trace.OpRLock || ev.Op == trace.OpTryRLock) {
			return false
		}
	}
	return true
}

// begin adds an operation; its point is that of its innermost user frame.
func (r *reader) begin(i int, e *trace.Event, op trace.Op, kind points.Kind) *oper {
	x := &oper{g: e.G, start: i, end: -1, visit: true}
	if f, ok := r.frame(e.Stack); ok {
		x.at = place{kind: kind, file: f.File, line: f.Line, op: op, fn: f.Func, pref: -1}
		x.visit = r.visits(e, op, x.at)
	}
	r.opers[e.G] = append(r.opers[e.G], x)
	return x
}

func (r *reader) frame(id trace.StackID) (trace.Frame, bool) {
	f, ok := r.user[id]
	if !ok {
		f, _ = r.t.UserFrame(id)
		r.user[id] = f
	}
	return f, f.File != ""
}

// visits says whether this operation begins a new execution of its statement,
// as a point in front of the statement counts them: a statement goes on while
// its frame stays on the stack, and begins anew when one of its operations
// (same instruction, same kind) comes again.
func (r *reader) visits(e *trace.Event, op trace.Op, at place) bool {
	stack := r.t.Stack(e.Stack)
	inner := slices.IndexFunc(stack, func(f trace.Frame) bool { return f.File == at.file && f.Line == at.line && f.Func == at.fn })
	depth := len(stack) - inner
	active := r.alive[e.G]
	for i, v := range active {
		if v.depth > depth || stack[len(stack)-v.depth] != v.frame {
			active = active[:i]
			break
		}
	}
	key := seenOp{e.Stack, op}
	n := len(active)
	if n > 0 && active[n-1].depth == depth && !active[n-1].seen[key] {
		first := true
		for k := range active[n-1].seen {
			first = first && k.op != op
		}
		active[n-1].seen[key] = true
		r.alive[e.G] = active
		return first
	}
	if n > 0 && active[n-1].depth == depth {
		active = active[:n-1]
	}
	r.alive[e.G] = append(active, activeVisit{depth, stack[inner], map[seenOp]bool{key: true}})
	return true
}

// selectPlace asks for the case that the trace chose where there was a choice.
func selectPlace(at place, e *trace.Event) place {
	ready := e.Aux >> 40
	if number := int64(e.Value); number >= 0 && ready > 1 {
		at.kind, at.pref = points.Select, int(number)
	}
	return at
}
