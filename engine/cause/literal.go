package cause

import (
	"maps"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

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
		if a, b = o.to[l.Before], o.late[l.After]; a >= 0 && b < 0 {
			return held
		}
	case l.After >= len(o.to): // the failure
		if o.same {
			return held
		}
		return lacking
	case l.Before == None:
		return o.came[l.After]
	default:
		a, b = o.to[l.Before], o.to[l.After]
	}
	switch {
	case a < 0 || b < 0:
		return lacking
	case o.effect[b] < o.effect[a]:
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

// maxLiterals is how many literals of a run are compared, about: in long runs each
// operation is compared with fewer of the latest ones before it.
const maxLiterals = 40_000

// candidates are the literals of a run up to its failure, each once: for each event
// the nearest conflicting events before it of other goroutines. Orders that the
// program enforces in every run, by what starts a goroutine, by messages and by
// waiting, are left out.
func candidates(t *trace.Trace, end int) []Literal {
	n := max(min(end, len(t.Events)), 1)
	c := &collector{t: t, enforced: newEnforced(t), memory: map[memoryCell]*accesses{}, objects: map[trace.ObjID]*uses{},
		cases: map[trace.GID][]int{}, seen: map[Literal]bool{}, cellOf: cellsOf(t), readLocked: readLocked(t),
		near: min(max(maxLiterals/n, 4), 64), cells: min(max(10*maxLiterals/n, 16), maxCells)}
	c.groups = groupCells(t, c.cellOf)
	for _, i := range inEffect(Effects(t), min(end, len(t.Events))) {
		c.comesAfter = c.enforced.step(i)
		if hasGoroutine(t, i) {
			c.event(i)
		}
	}
	if end < len(t.Events) {
		c.comesAfter = c.enforced.step(end)
		c.failure(end)
	}
	return c.out
}

// hasGoroutine is false of what the runtime itself does.
func hasGoroutine(t *trace.Trace, ev int) bool {
	g := t.Events[ev].G
	return g != 0 && int(g) < len(t.Goroutines)
}

type collector struct {
	t          *trace.Trace
	enforced   *enforced
	comesAfter clock // the event that is looked at
	memory     map[memoryCell]*accesses
	objects    map[trace.ObjID]*uses
	cases      map[trace.GID][]int // of the select that a goroutine is in
	seen       map[Literal]bool
	out        []Literal
	cellOf     []memoryCell        // by object, its first byte
	groups     map[memoryCell]bool // of WaitGroups
	readLocked map[trace.ObjID]bool
	near       int // operations of others that one is compared with
	cells      int // bytes of a range that are followed
}

// memoryCell is a byte of memory: objects whose names differ in the offset alone have
// one base.
type memoryCell struct {
	base   int
	offset int64
}

func cellsOf(t *trace.Trace) []memoryCell {
	bases := map[string]int{}
	out := make([]memoryCell, len(t.Objects))
	for i := range t.Objects {
		name, offset := trace.SplitOffset(t.Objects[i].Name)
		if _, ok := bases[name]; !ok {
			bases[name] = len(bases)
		}
		out[i] = memoryCell{bases[name], offset}
	}
	return out
}

// groupCells are the bytes of WaitGroups.
func groupCells(t *trace.Trace, cellOf []memoryCell) map[memoryCell]bool {
	out := map[memoryCell]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Op != trace.OpWGAdd && e.Op != trace.OpWGWait && e.Op != trace.OpWGDone || e.Obj == 0 || int(e.Obj) >= len(cellOf) {
			continue
		}
		for k := range int64(groupSize) {
			out[memoryCell{cellOf[e.Obj].base, cellOf[e.Obj].offset + k}] = true
		}
	}
	return out
}

// groupSize is that of a WaitGroup.
const groupSize = 16

// uses are the latest operations on a synchronisation object.
type uses struct {
	of     map[trace.GID]int // by goroutine
	latest []int             // the same, in the order in which they took effect
	close  int
	adds   map[trace.GID]int // the latest Add of a WaitGroup, by goroutine
}

func (u *uses) add(g trace.GID, i int) {
	if old, ok := u.of[g]; ok {
		at := slices.Index(u.latest, old)
		u.latest = slices.Delete(u.latest, at, at+1)
	}
	u.of[g] = i
	u.latest = append(u.latest, i)
}

// accesses are the latest ones to one byte.
type accesses struct {
	write int               // the latest
	reads map[trace.GID]int // the latest since, by goroutine
	log   []int             // the latest, in their order
}

func (c *collector) event(i int) {
	e := &c.t.Events[i]
	switch {
	case e.Op.IsMemory():
		if int(e.Obj) < len(c.t.Objects) && c.t.Objects[e.Obj].Kind == trace.ObjChan {
			return // with which the channel operation tells the race detector of itself
		}
		if int(e.Obj) < len(c.cellOf) && c.groups[c.cellOf[e.Obj]] {
			return // likewise a WaitGroup
		}
		c.access(i)
	case e.Op == trace.OpSelectCase:
		c.cases[e.G] = append(c.cases[e.G], i)
	case e.Op == trace.OpSelect:
		c.choice(i)
	case e.Obj == 0:
	case waitsToWrite(e, c.readLocked):
		c.writerWaits(i)
	case e.Op == trace.OpTryLock, e.Op == trace.OpTryRLock, e.Op == trace.OpCondWake:
		c.add(None, i)
		c.operation(i, e.Obj, e.Op != trace.OpTryRLock)
	case !Counts(e.Op), releases(e.Op), e.Op == trace.OpSpawn, e.Op == trace.OpSleep:
	default:
		c.operation(i, e.Obj, changes(e))
	}
}

// writerWaits adds that readers had locked what a writer waits for.
func (c *collector) writerWaits(i int) {
	u := c.objects[c.t.Events[i].Obj]
	if u == nil {
		return
	}
	for _, x := range u.latest[max(0, len(u.latest)-c.near):] {
		if c.t.Events[x].Op == trace.OpRLock {
			c.add(x, i)
		}
	}
}

// releases is true of the end of a lock region, which says no more than its beginning.
func releases(op trace.Op) bool { return op == trace.OpUnlock || op == trace.OpRUnlock }

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

// maxLooked bounds the operations on one object among which those that matter to
// another one are looked for.
const maxLooked = 1024

// operation adds the orders with the latest operations of others.
func (c *collector) operation(i int, obj trace.ObjID, changes bool) {
	u := c.objects[obj]
	if u == nil {
		u = &uses{of: map[trace.GID]int{}, close: None, adds: map[trace.GID]int{}}
		c.objects[obj] = u
	}
	g := c.t.Events[i].G
	if u.close >= 0 {
		c.add(u.close, i)
	}
	added := 0
	for k := len(u.latest) - 1; k >= max(0, len(u.latest)-maxLooked) && added < c.near; k-- {
		x := u.latest[k]
		if c.t.Events[x].G != g && (changes || c.changed(x)) && !c.commute(x, i) {
			if c.add(x, i) {
				added++
			}
		}
	}
	u.add(g, i)
	switch c.t.Events[i].Op {
	case trace.OpWGAdd:
		u.adds[g] = i
	case trace.OpWGWait: // a Done may have come since
		adds := slices.Sorted(maps.Values(u.adds))
		for _, x := range adds[max(0, len(adds)-c.near):] {
			c.add(x, i)
		}
	}
	if c.t.Events[i].Op == trace.OpClose || c.t.Events[i].Op == trace.OpNetClose {
		u.close = i
	}
}

// commute is true of operations whose order makes no difference although both change
// their object.
func (c *collector) commute(x, y int) bool { return commuting(c.t.Events[x].Op, c.t.Events[y].Op) }

// commuting are operations that come to the same in either order: that a WaitGroup
// counts, that a Cond is signalled, what a pool gets.
func commuting(a, b trace.Op) bool {
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
	if e.Obj == 0 || int(e.Obj) >= len(c.cellOf) {
		return
	}
	first, size := c.cellOf[e.Obj], 1
	if e.Op >= trace.OpRead && e.Op <= trace.OpWriteRange && e.Aux > 0 {
		size = int(min(e.Aux, uint64(c.cells)))
	}
	for k := range size {
		c.byteOf(i, memoryCell{first.base, first.offset + int64(k)})
	}
}

func (c *collector) byteOf(i int, cell memoryCell) {
	e := &c.t.Events[i]
	u := c.memory[cell]
	if u == nil {
		u = &accesses{write: None}
		c.memory[cell] = u
	}
	if u.write >= 0 {
		c.add(u.write, i)
	}
	c.begun(i, u)
	if e.Writes() {
		for _, x := range slices.Sorted(maps.Values(u.reads)) {
			c.add(x, i)
		}
		u.write = i
		clear(u.reads)
	}
	if e.Reads() {
		if u.reads == nil {
			u.reads = map[trace.GID]int{}
		}
		u.reads[e.G] = i
	}
}

// begun adds the orders with what others began with since the goroutine's own latest
// write: weaker than those with what they did last.
func (c *collector) begun(i int, u *accesses) {
	e := &c.t.Events[i]
	var first []int // of each other goroutine
	for _, x := range slices.Backward(u.log) {
		o := &c.t.Events[x]
		if o.G == e.G {
			if o.Writes() {
				break
			}
			continue
		}
		if !e.Writes() && !o.Writes() {
			continue
		}
		if k := slices.IndexFunc(first, func(y int) bool { return c.t.Events[y].G == o.G }); k >= 0 {
			first[k] = x
		} else {
			first = append(first, x)
		}
	}
	for _, x := range first {
		c.add(x, i)
	}
	if u.log = append(u.log, i); len(u.log) > c.near {
		u.log = slices.Delete(u.log, 0, 1)
	}
}

// maxCells bounds how much of a long range is followed.
const maxCells = 256

// failure adds what decides that the operation in which the run failed does: a close
// before a send, another's unlock.
func (c *collector) failure(end int) {
	_, obj, ok := FailedOn(c.t)
	if !ok {
		return
	}
	if u := c.objects[obj]; u != nil {
		if u.close >= 0 {
			c.add(u.close, end)
			return
		}
		for _, x := range u.latest {
			c.add(x, end)
		}
	}
}

// add enters a literal, unless it is about one goroutine or holds in every run.
func (c *collector) add(before, after int) bool {
	l := Literal{Before: before, After: after}
	if before != None {
		known := c.comesAfter
		if c.t.Events[before].Op == trace.OpWGAdd && after < len(c.t.Events) && c.t.Events[after].Op == trace.OpWGWait {
			known = c.enforced.alone
		}
		if c.t.Events[before].G == c.t.Events[after].G || known.knows(c.t, before) {
			return false
		}
	}
	if !c.seen[l] {
		c.seen[l] = true
		c.out = append(c.out, l)
	}
	return true
}
