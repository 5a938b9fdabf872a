package cause

import "github.com/hocket-dev/hocket/engine/trace"

// None is the Before of a literal that says only that an event happened.
const None = -1

// Literal is an order of two events of the failing run, by index: Before came before
// After, of another goroutine. With Before == None it says that After happened: that
// a select, a try or a Cond came to what it came to. With Late, After is an event of
// Cause.Late, a passing run, that the failing run had not come to: the literal says
// that it had not happened when Before did.
type Literal struct {
	Before, After int
	Late          bool
}

// status of a literal in a run.
type status uint8

const (
	held    status = iota // both events happen, in this order
	lacking               // an event did not happen
	broken                // the events happen in the other order
)

// in says what became of a literal in a run. That an event did not happen is mostly
// what follows from another order being broken: it counts as broken only in runs that
// break no candidate else.
func (l Literal) in(o *observed) status {
	s := l.compare(o)
	if s == lacking && o.odd {
		return broken
	}
	return s
}

func (l Literal) compare(o *observed) status {
	a, b := None, None
	switch {
	case l.Late:
		if a, b = o.m.To[l.Before], o.late.To[l.After]; a >= 0 && b < 0 {
			return held
		}
	case l.After >= len(o.m.To): // the failure
		if o.same {
			return held
		}
		return lacking
	case l.Before == None:
		return o.came[l.After]
	default:
		a, b = o.m.To[l.Before], o.m.To[l.After]
	}
	switch {
	case a < 0 || b < 0:
		return lacking
	case b < a:
		return broken
	}
	return held
}

// Counts reports whether an operation is part of what a program does, rather than
// of how the runtime does it.
func Counts(op trace.Op) bool {
	switch op {
	case trace.OpBlock, trace.OpUnblock, trace.OpGosched, trace.OpTimer, trace.OpTimerStop, trace.OpNone, trace.OpSyscall,
		trace.OpOnceLoad, trace.OpSelectCase, trace.OpAtomicOld, trace.OpChanLen, trace.OpCollect:
		return false
	}
	return true
}

// FailureIn is the index of the event in which a run failed, len(t.Events) if it was
// not recorded.
func FailureIn(t *trace.Trace) int {
	last := len(t.Events)
	for i := range t.Events {
		e := &t.Events[i]
		switch e.Op {
		case trace.OpPanic, trace.OpTestFail, trace.OpFatal, trace.OpPanicStart:
			if t.Outcome.Goroutine != 0 && e.G != t.Outcome.Goroutine {
				continue
			}
			if t.Outcome.Stack != 0 && e.Stack == t.Outcome.Stack {
				return i
			}
			last = i
		}
	}
	return last
}

// FailedOn is the operation and the object on which a run failed: the send on a
// closed channel, the unlock of a mutex that is not locked. ok is false if the failure
// is not an operation's.
func FailedOn(t *trace.Trace) (op trace.Op, obj trace.ObjID, ok bool) {
	at := FailureIn(t)
	if at == len(t.Events) {
		return 0, 0, false
	}
	for i := at; i >= 0; i-- { // where the panic began: deferred calls may have panicked again
		e := &t.Events[i]
		if e.G != t.Events[at].G || e.Op != trace.OpPanicStart || !canFail(trace.Op(e.Aux)) {
			continue
		}
		for n := len(t.Objects) - 1; n > 0; n-- {
			if o := &t.Objects[n]; o.Addr == e.Value && o.Born <= i && o.Addr != 0 {
				return trace.Op(e.Aux), o.ID, true
			}
		}
	}
	for _, p := range t.Pending {
		if p.G == t.Events[at].G && p.Obj != 0 && canFail(p.Op) {
			return p.Op, p.Obj, true
		}
	}
	return 0, 0, false
}

// canFail is true of operations that fail where they are not possible.
func canFail(op trace.Op) bool {
	switch op {
	case trace.OpSend, trace.OpClose, trace.OpUnlock, trace.OpRUnlock, trace.OpWGAdd, trace.OpWGDone, trace.OpWGWait, trace.OpSelect:
		return true
	}
	return false
}

// candidates are the literals of a run up to its failure, each once: for each event
// the nearest conflicting events before it of other goroutines. Orders that the
// program enforces in every run, by what starts a goroutine, by messages and by
// waiting, are left out.
func candidates(t *trace.Trace, end int) []Literal {
	clocks, alone := enforced(t, end)
	c := &collector{t: t, clocks: clocks, alone: alone, memory: map[memoryCell]*uses{}, objects: map[trace.ObjID]*uses{},
		cases: map[trace.GID][]int{}, seen: map[Literal]bool{}}
	for i := range min(end, len(t.Events)) {
		c.event(i)
	}
	c.failure(end)
	return c.out
}

type collector struct {
	t       *trace.Trace
	clocks  []clock
	alone   map[int]clock // of a Wait, without the Done calls
	memory  map[memoryCell]*uses
	objects map[trace.ObjID]*uses
	cases   map[trace.GID][]int // of the select that a goroutine is in
	seen    map[Literal]bool
	out     []Literal
}

// memoryCell is a byte of memory under a name that holds in all runs.
type memoryCell struct {
	base   string
	offset int64
}

// uses are the latest operations on one thing.
type uses struct {
	write int               // the latest that changes it
	reads map[trace.GID]int // the latest since, by goroutine
	adds  map[trace.GID]int // the latest Add of a WaitGroup, by goroutine
	close int
}

func newUses() *uses {
	return &uses{write: None, reads: map[trace.GID]int{}, adds: map[trace.GID]int{}, close: None}
}

func (c *collector) event(i int) {
	e := &c.t.Events[i]
	switch {
	case e.G == 0:
	case isMemory(e.Op):
		if int(e.Obj) < len(c.t.Objects) && c.t.Objects[e.Obj].Kind == trace.ObjChan {
			return // with which the channel operation tells the race detector of itself
		}
		c.access(i)
	case e.Op == trace.OpSelectCase:
		c.cases[e.G] = append(c.cases[e.G], i)
	case e.Op == trace.OpSelect:
		c.choice(i)
	case e.Obj == 0:
	case e.Op == trace.OpTryLock, e.Op == trace.OpTryRLock, e.Op == trace.OpCondWake:
		c.add(None, i)
		c.operation(i, e.Obj, e.Op != trace.OpTryRLock)
	case !Counts(e.Op), releases(e.Op), e.Op == trace.OpSpawn, e.Op == trace.OpSleep:
	default:
		c.operation(i, e.Obj, changes(e))
	}
}

// changes is true of operations on a synchronisation object that don't commute with
// those that only look.
func changes(e *trace.Event) bool {
	switch e.Op {
	case trace.OpRLock, trace.OpTryRLock, trace.OpPoolGet:
		return false
	case trace.OpSend, trace.OpRecv:
		return e.Value != 0
	}
	return true
}

// operation adds the orders with the latest operations of others.
func (c *collector) operation(i int, obj trace.ObjID, changes bool) {
	u := c.objects[obj]
	if u == nil {
		u = newUses()
		c.objects[obj] = u
	}
	g := c.t.Events[i].G
	if u.close >= 0 {
		c.add(u.close, i)
	}
	for h, x := range u.reads {
		if h != g && (changes || c.changed(x)) && !c.commute(x, i) {
			c.add(x, i)
		}
	}
	u.reads[g] = i
	switch c.t.Events[i].Op {
	case trace.OpWGAdd:
		u.adds[g] = i
	case trace.OpWGWait: // a Done may have come since
		for h, x := range u.adds {
			if h != g {
				c.add(x, i)
			}
		}
	}
	if c.t.Events[i].Op == trace.OpClose || c.t.Events[i].Op == trace.OpNetClose {
		u.close = i
	}
}

// commute is true of operations whose order makes no difference although both change
// their object: that a WaitGroup counts, that a Cond is signalled, what a pool gets.
func (c *collector) commute(x, y int) bool {
	a, b := c.t.Events[x].Op, c.t.Events[y].Op
	group := func(op trace.Op) bool { return op == trace.OpWGAdd || op == trace.OpWGDone }
	signal := func(op trace.Op) bool { return op == trace.OpSignal || op == trace.OpBroadcast }
	return group(a) && group(b) || a == trace.OpWGWait && b == trace.OpWGWait || signal(a) && signal(b) ||
		a == trace.OpPoolPut && b == trace.OpPoolPut
}

func (c *collector) changed(i int) bool {
	e := &c.t.Events[i]
	return e.Op == trace.OpSelect || changes(e)
}

// choice is for a select: what it came to, and what others did with its channels.
func (c *collector) choice(i int) {
	e := &c.t.Events[i]
	c.add(None, i)
	for _, k := range c.cases[e.G] {
		if obj := c.t.Events[k].Obj; obj != 0 {
			c.operation(i, obj, obj == e.Obj)
		}
	}
	if len(c.cases[e.G]) == 0 && e.Obj != 0 {
		c.operation(i, e.Obj, true)
	}
	delete(c.cases, e.G)
}

// access adds the orders of accesses of which one writes.
func (c *collector) access(i int) {
	e := &c.t.Events[i]
	for _, cell := range c.cells(e) {
		u := c.memory[cell]
		if u == nil {
			u = newUses()
			c.memory[cell] = u
		}
		if u.write >= 0 && c.t.Events[u.write].G != e.G {
			c.add(u.write, i)
		}
		if writes(e) {
			for g, x := range u.reads {
				if g != e.G {
					c.add(x, i)
				}
			}
			u.write = i
			clear(u.reads)
		}
		if reads(e) {
			u.reads[e.G] = i
		}
	}
}

// maxCells bounds how much of a long range is followed.
const maxCells = 256

func (c *collector) cells(e *trace.Event) []memoryCell {
	if e.Obj == 0 || int(e.Obj) >= len(c.t.Objects) {
		return nil
	}
	base, off := splitOffset(c.t.Objects[e.Obj].Name)
	size := int64(1)
	if e.Op >= trace.OpRead && e.Op <= trace.OpWriteRange && e.Aux > 0 {
		size = min(int64(e.Aux), maxCells)
	}
	out := make([]memoryCell, size)
	for k := range size {
		out[k] = memoryCell{base, off + k}
	}
	return out
}

// failure adds what decides that the operation in which the run failed does: a close
// before a send, another's unlock.
func (c *collector) failure(end int) {
	_, obj, ok := FailedOn(c.t)
	if !ok || end >= len(c.t.Events) {
		return
	}
	if u := c.objects[obj]; u != nil {
		if u.close >= 0 {
			c.add(u.close, end)
			return
		}
		for g, x := range u.reads {
			if g != c.t.Events[end].G {
				c.add(x, end)
			}
		}
	}
}

func (c *collector) add(before, after int) {
	l := Literal{Before: before, After: after}
	if before != None {
		clock := c.clocks[after]
		if alone, ok := c.alone[after]; ok && c.t.Events[before].Op == trace.OpWGAdd {
			clock = alone
		}
		if c.t.Events[before].G == c.t.Events[after].G || clock.knows(c.t, before) {
			return
		}
	}
	if !c.seen[l] {
		c.seen[l] = true
		c.out = append(c.out, l)
	}
}
