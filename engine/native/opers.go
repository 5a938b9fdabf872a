package native

import (
	"maps"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// place names a point: an operation on a source line.
type place struct {
	kind points.Kind
	file string
	line int
	op   trace.Op
	fn   string // telling apart closures on one line
	nth  int    // of several such operations on the line, from 1; 0 if it is the only one
	call string // what is called there, of an operation inside the standard library
	pref int    // of a select: the preferred case, -1 for none
}

// oper is one operation of a goroutine, from the statement's start to its
// completion. It may wait in between.
type oper struct {
	g       trace.GID
	at      place
	obj     trace.ObjID
	stack   trace.StackID
	visit   int  // number of the execution of its statement, in this goroutine
	counts  bool // the first of its kind in that visit
	start   int  // event index at which a point before it would be reached at the latest
	end     int  // event index of completion; -1 if it never completed
	blocked bool // parked before it completed
	parked  int  // event index of the first park
	never   bool // it did not happen before the run ended, though it could have
	held    bool // parked, but a point before it can hold the goroutine instead
	chosen  int  // of a select: the case, as the compiler numbers it; -1 for none
}

// reader turns the events of a trace into opers, goroutine by goroutine.
type reader struct {
	t       *trace.Trace
	opers   map[trace.GID][]*oper
	open    map[trace.GID]*oper           // parked
	cond    map[trace.GID]*oper           // inside Cond.Wait
	alive   map[trace.GID][]activeVisit   // statements being executed, outermost first
	user    map[trace.StackID]trace.Frame // memo
	nths    map[trace.StackID]int         // memo
	visited int                           // statement executions so far
	opaque  map[trace.GID]bool            // goroutines whose functions have no places
	races   map[line]bool                 // where plain accesses race
}

type line struct {
	file string
	line int
}

// activeVisit is a statement that a goroutine is executing: a frame at a depth
// (counted from the outermost), and the operations seen in it so far.
type activeVisit struct {
	depth  int
	frame  trace.Frame
	seen   map[seenOp]bool
	first  seenOp
	id     int
	places map[place]bool
}

type seenOp struct {
	stack trace.StackID
	op    trace.Op
}

// readOpers reads the whole trace. What never completed among the operations
// that a point can hold is held until the end: limit.
func readOpers(t *trace.Trace, limit int, lines map[line]bool) *reader {
	r := &reader{t: t, opers: map[trace.GID][]*oper{}, open: map[trace.GID]*oper{}, cond: map[trace.GID]*oper{},
		alive: map[trace.GID][]activeVisit{}, user: map[trace.StackID]trace.Frame{}, races: racingLines(t), nths: map[trace.StackID]int{}}
	maps.Copy(r.races, lines)
	r.opaque = r.opaqueOnes()
	for i := range t.Events {
		r.event(i, &t.Events[i])
	}
	for _, x := range r.open {
		if x.held = r.canHold(x.at.op, x.obj); x.held {
			x.start = limit
		}
	}
	return r
}

// goroutines are those with operations, in order, so that equal traces give
// equal plans.
func (r *reader) goroutines() []trace.GID { return slices.Sorted(maps.Keys(r.opers)) }

// isOp reports whether an event is an operation before which a point can be
// put.
func isOp(op trace.Op) bool {
	switch op {
	case trace.OpNone, trace.OpStart, trace.OpEnd, trace.OpBlock, trace.OpUnblock, trace.OpTimer, trace.OpTimerStop, trace.OpSyscall,
		trace.OpTestFail, trace.OpPanic, trace.OpFatal, trace.OpPending,
		trace.OpOnceLoad, trace.OpSelectCase, trace.OpAtomicOld, trace.OpChanLen, trace.OpCollect:
		return false
	}
	return true
}

func isNet(op trace.Op) bool { return trace.OpNetDial <= op && op <= trace.OpNetDeadline }

func isPlain(op trace.Op) bool {
	return op == trace.OpRead || op == trace.OpWrite || op == trace.OpReadRange || op == trace.OpWriteRange
}

// racing reports whether a plain access is at one of the racing places, where
// schedules may switch.
func (r *reader) racing(e *trace.Event) bool {
	f, ok := r.frame(e.Stack)
	return ok && r.races[line{f.File, f.Line}]
}

func racingLines(t *trace.Trace) map[line]bool {
	lines := map[line]bool{}
	for _, race := range t.Races {
		for _, a := range []trace.Access{race.First, race.Second} {
			if f, ok := t.UserFrame(a.Stack); ok {
				lines[line{f.File, f.Line}] = true
			}
		}
	}
	return lines
}

func (r *reader) event(i int, e *trace.Event) {
	if e.G == 0 {
		return
	}
	if e.Op == trace.OpBlock {
		r.park(i, e)
		return
	}
	if isPlain(e.Op) && !r.racing(e) {
		return // never a switch point
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
	if c := r.cond[e.G]; c != nil { // Unlock, (park), wake, Lock of one Wait
		if e.Op == trace.OpCondWake {
			c.end = i
		}
		if e.Op != trace.OpLock {
			return
		}
		delete(r.cond, e.G)
		r.begin(i, e, e.Op, points.CondWake).end = i
		return
	}
	x := r.begin(i, e, e.Op, points.At)
	x.end = i
	if e.Op == trace.OpCondWait { // in there, it can't be stopped before it waits
		x.blocked, x.parked, x.end = true, i, -1
		r.cond[e.G] = x
	}
	if e.Op == trace.OpSelect {
		x.selected(e)
	}
}

// park records that a goroutine waits in the middle of an operation.
func (r *reader) park(i int, e *trace.Event) {
	if r.open[e.G] != nil {
		return // woken in vain, and waiting again
	}
	op := trace.Op(e.Aux)
	last := r.last(e.G)
	if c := r.cond[e.G]; c != nil && op == trace.OpCondWait {
		r.open[e.G] = c
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

// complete ends a parked operation.
func (r *reader) complete(x *oper, i int, e *trace.Event) {
	x.end = i
	if x.held = r.canHold(x.at.op, e.Obj); x.held {
		x.start = i
	}
	if e.Op == trace.OpSelect {
		x.selected(e)
	}
}

// canHold reports whether a point before the operation can hold the goroutine
// until its turn: while it only waits for a mutex or a WaitGroup, it affects no
// other. That keeps the order exact, whatever order the runtime wakes waiters
// in. A writer that waits for an RWMutex blocks readers, so it can't be held.
func (r *reader) canHold(op trace.Op, obj trace.ObjID) bool {
	return op == trace.OpWGWait || op == trace.OpLock && r.isMutex(obj)
}

func (r *reader) isMutex(obj trace.ObjID) bool {
	switch r.t.Object(obj).Type {
	case "sync.RWMutex":
		return false
	case "sync.Mutex":
		return true
	}
	for _, ev := range r.t.Events { // the type is unknown: an RWMutex is recognised by its readers
		if ev.Obj == obj && (ev.Op == trace.OpRLock || ev.Op == trace.OpTryRLock) {
			return false
		}
	}
	return true
}

// begin adds an operation; its point is that of its innermost user frame.
func (r *reader) begin(i int, e *trace.Event, op trace.Op, kind points.Kind) *oper {
	x := &oper{g: e.G, start: i, end: -1, obj: e.Obj, stack: e.Stack, at: place{pref: -1}, chosen: -1}
	if f, ok := r.frame(e.Stack); r.opaque[e.G] {
		r.beginAtStart(x)
	} else if ok {
		x.at = place{kind: kind, file: f.File, line: f.Line, op: op, fn: f.Func, nth: r.nth(e.Stack), call: r.callee(e.Stack), pref: -1}
		x.visit, x.counts = r.visits(e, op, x.at)
		if prev := r.last(e.G); op == trace.OpWrite && prev != nil && prev.at.op == trace.OpRead && prev.obj == e.Obj && prev.visit == x.visit {
			x.at.kind = points.Split
		}
	}
	r.opers[e.G] = append(r.opers[e.G], x)
	return x
}

// beginAtStart gives an operation of a function without places the point at the start of
// its goroutine: all that it does is one visit.
func (r *reader) beginAtStart(x *oper) {
	f, _ := r.frame(r.t.Goroutine(x.g).Spawn)
	x.at = place{kind: points.Start, file: f.File, line: f.Line, fn: f.Func, pref: -1}
	x.visit, x.counts = -int(x.g)-1, r.last(x.g) == nil
}

// opaqueOnes are the goroutines that a statement of the program started, with a function
// that has no places: go cancel(), wg.Go(cancel). One that waits for others is none, since
// it could not be held in its middle.
func (r *reader) opaqueOnes() map[trace.GID]bool {
	opaque, seen := map[trace.GID]bool{}, map[trace.GID]bool{}
	for _, e := range slices.Concat(r.t.Events, r.t.Pending) {
		if e.Op == trace.OpBlock && trace.Op(e.Aux) != trace.OpLock {
			opaque[e.G], seen[e.G] = false, true
		}
		if !isOp(e.Op) || e.G <= 1 {
			continue
		}
		f, ok := r.frame(e.Stack)
		none := !ok || strings.Contains(f.Func, ".gowrap")
		opaque[e.G] = none && (opaque[e.G] || !seen[e.G])
		seen[e.G] = true
	}
	for g := range opaque {
		own := r.t.Goroutine(g)
		if _, ok := r.frame(own.Spawn); !ok || own.ByTimer() || strings.HasPrefix(own.Func, "testing.") {
			opaque[g] = false
		}
	}
	return opaque
}

// callee is the function or method of the standard library that the innermost frame of
// the user's calls; "" if the operation is that frame's own.
func (r *reader) callee(id trace.StackID) string {
	f, _ := r.frame(id)
	stack := r.t.Stack(id)
	inner := slices.Index(stack, f)
	if inner < 1 {
		return ""
	}
	name := trace.ShortFunc(stack[inner-1].Func)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// nth tells several calls on one line of a function apart. Those of a function that is
// inlined are copies of one.
func (r *reader) nth(id trace.StackID) int {
	n, ok := r.nths[id]
	if ok || int(id) >= len(r.t.Sites) {
		return n
	}
	f, _ := r.frame(id)
	if s, err := site.Parse(r.t.Sites[id]); err == nil && s.Of > 1 && s.Callee != "" && s.Chain[len(s.Chain)-1].Func == f.Func {
		n = s.Nth
	}
	r.nths[id] = n
	return n
}

func (r *reader) frame(id trace.StackID) (trace.Frame, bool) {
	f, ok := r.user[id]
	if !ok {
		f, _ = r.t.UserFrame(id)
		r.user[id] = f
	}
	return f, f.File != ""
}

// visits numbers the executions of statements, as points in front of statements
// count them, and says which one the operation belongs to: a statement goes on while
// its frame stays on the stack, and begins anew when one of its operations (same
// instruction, same kind) comes again; of those inside the standard library, which has
// loops of its own, the first one.
func (r *reader) visits(e *trace.Event, op trace.Op, at place) (visit int, first bool) {
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
	if n > 0 && active[n-1].depth == depth && (!active[n-1].seen[key] || inner > 0 && key != active[n-1].first) {
		first = !active[n-1].places[at]
		active[n-1].seen[key], active[n-1].places[at] = true, true
		r.alive[e.G] = active
		return active[n-1].id, first
	}
	if n > 0 && active[n-1].depth == depth {
		active = active[:n-1]
	}
	r.visited++
	r.alive[e.G] = append(active, activeVisit{depth, stack[inner], map[seenOp]bool{key: true}, key, r.visited, map[place]bool{at: true}})
	return r.visited, true
}

// selected notes the case that the trace chose, and asks for it where there was
// a choice.
func (x *oper) selected(e *trace.Event) {
	ready := e.Aux >> 40
	if number := int64(e.Value); x.at.file != "" && number >= 0 {
		x.chosen = int(number)
		if ready > 1 {
			x.prefer()
		}
	}
}

// prefer asks for the case that the trace chose.
func (x *oper) prefer() { x.at.kind, x.at.pref = points.Select, x.chosen }
