package projection

import (
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/trace"
)

// run is a trace with what the projection asks of it.
type run struct {
	*trace.Trace
	events  []trace.Event // of the trace, plus the failure if it was not recorded
	byG     [][]int       // per goroutine, indexes of its events in program order
	pos     []int         // per event, its position in byG
	src     []int         // per event that reads: the event that it got its value from, -1 for none
	effect  []int         // per event: where it took effect
	freed   map[int]int   // by send into a buffered channel: the receive that made room for it
	taken   map[int]bool  // waits of senders that never went on, although their messages were received
	byCell  map[cell][]int
	shared  map[cell]bool          // touched by two goroutines, one of them writing
	holders map[heldBy]trace.ObjID // see holder
	own     map[trace.ObjID]bool   // accessed by the module's own code, once asked for
	fail    int                    // index of the failure, -1 if nothing failed
}

// cell is a byte of memory (neighbours are often apart) under a name that holds in all runs.
type cell struct {
	base string
	off  int64
}

// maxCells bounds how much of a long range is followed.
const maxCells = 1024

func newRun(t *trace.Trace) *run {
	r := &run{Trace: t, events: withoutInsides(t), byCell: map[cell][]int{}, shared: map[cell]bool{}}
	r.fail = r.failure()
	r.byG = make([][]int, len(t.Goroutines))
	r.pos = make([]int, len(r.events))
	for i, e := range r.events {
		if int(e.G) < len(r.byG) {
			r.pos[i] = len(r.byG[e.G])
			r.byG[e.G] = append(r.byG[e.G], i)
		}
	}
	r.effect = cause.Effects(t)
	if len(r.effect) < len(r.events) {
		r.effect = append(r.effect, len(r.events)-1)
	}
	r.flow()
	r.handed()
	return r
}

// withoutInsides are the events of a trace. The accesses with which channel operations
// tell the race detector of themselves are none of the program's.
func withoutInsides(t *trace.Trace) []trace.Event {
	events := t.Events
	for i, e := range t.Events {
		if isPlain(e.Op) && int(e.Obj) < len(t.Objects) && t.Objects[e.Obj].Kind == trace.ObjChan {
			if &events[0] == &t.Events[0] {
				events = slices.Clone(events)
			}
			events[i].Op = trace.OpNone
		}
	}
	return events
}

// outer is the operation on a channel that an access inside it belongs to, the event
// itself for others.
func (r *run) outer(ev int) int {
	if r.events[ev].Op != trace.OpNone {
		return ev
	}
	for _, x := range r.byG[r.events[ev].G][r.pos[ev]:] {
		if e := &r.events[x]; isChanOp(e.Op) && !isNoise(e.Op) && sameStack(r.stack(x), r.stack(ev)) {
			return x
		} else if !isNoise(e.Op) {
			break
		}
	}
	return ev
}

// failure finds the event that is the failure, and adds one if the run failed
// without recording it.
func (r *run) failure() int {
	o := r.Outcome
	if o.Kind == trace.Passed || o.Kind == trace.Livelock || len(o.Blocked) > 0 && o.Stack == 0 {
		return -1
	}
	last := -1
	for i, e := range r.events {
		switch e.Op {
		case trace.OpPanic, trace.OpTestFail, trace.OpFatal, trace.OpPanicStart:
			if o.Stack != 0 && e.Stack == o.Stack && (o.Goroutine == 0 || e.G == o.Goroutine) {
				return i
			}
			if o.Goroutine == 0 || e.G == o.Goroutine {
				last = i
			}
		}
	}
	if o.Kind == trace.Raced || o.Stack == 0 && last < 0 {
		return -1
	}
	if last >= 0 {
		return last
	}
	g := o.Goroutine
	if g == 0 {
		g = 1
	}
	r.events = append(append([]trace.Event{}, r.events...), trace.Event{Seq: len(r.events), G: g, Op: trace.OpPanic, Stack: o.Stack})
	return len(r.events) - 1
}

// isNoise reports whether an event says nothing about what the program does.
func isNoise(op trace.Op) bool { return !cause.Counts(op) }

func isPlain(op trace.Op) bool { return op >= trace.OpRead && op <= trace.OpWriteRange }

func isAtomic(op trace.Op) bool { return op >= trace.OpAtomicLoad && op <= trace.OpAtomicCAS }

func isSend(e *trace.Event) bool {
	return e.Op == trace.OpSend && e.Value == 1 || e.Op == trace.OpSelect && e.Obj != 0 && e.Aux>>32&1 == 1
}

func isRecv(e *trace.Event) bool {
	return e.Op == trace.OpRecv && e.Value >= 1 || e.Op == trace.OpSelect && e.Obj != 0 && e.Aux>>32&1 == 0
}

// isQuery reports whether an event is a read in the wide sense: something on
// which a branch can depend.
func isQuery(e *trace.Event) bool {
	switch e.Op {
	case trace.OpNetAccept, trace.OpNetRead, trace.OpNetWrite:
		return true
	case trace.OpRecv, trace.OpSelect, trace.OpTryLock, trace.OpTryRLock, trace.OpSend:
		return e.Op != trace.OpSend || e.Value == 0
	}
	return e.Reads()
}

// isMessage reports whether an operation lets others go on.
func isMessage(e *trace.Event) bool {
	switch e.Op {
	case trace.OpClose, trace.OpSignal, trace.OpBroadcast, trace.OpWGDone:
		return true
	}
	return isSend(e)
}

// cells of a memory access.
func (r *run) cells(e *trace.Event) []cell {
	if !e.Op.IsMemory() || e.Obj == 0 || int(e.Obj) >= len(r.Objects) {
		return nil
	}
	base, off := trace.SplitOffset(r.Objects[e.Obj].Name)
	size := int64(1)
	if isPlain(e.Op) && e.Aux > 0 {
		size = int64(e.Aux)
	}
	out := make([]cell, 0, min(size, maxCells))
	for c := range min(size, maxCells) {
		out = append(out, cell{base, off + c})
	}
	return out
}

// queue matches the messages of one channel.
type queue struct {
	sends, recvs []int
	closed       int
}

// flow fills src, byCell and shared.
func (r *run) flow() {
	r.src = filled(len(r.events))
	last := map[cell]int{}
	toucher := map[cell]trace.GID{}
	many, written := map[cell]bool{}, map[cell]bool{}
	sync := map[trace.ObjID]int{} // last releasing event
	chans := map[trace.ObjID]*queue{}
	for i := range r.events {
		e := &r.events[i]
		for _, c := range r.cells(e) {
			r.byCell[c] = append(r.byCell[c], i)
			if g, ok := toucher[c]; ok && g != e.G {
				many[c] = true
			}
			toucher[c] = e.G
			if w, ok := last[c]; ok && e.Reads() {
				r.src[i] = max(r.src[i], r.seenIn(c, i, w))
			}
			if e.Writes() {
				last[c] = i
				written[c] = true
			}
		}
		r.syncFlow(i, sync, chans)
	}
	r.freed = map[int]int{}
	for obj, q := range chans {
		if room := r.capacity(obj); room > 0 {
			for k := room; k < len(q.sends) && k-room < len(q.recvs); k++ {
				r.freed[q.sends[k]] = q.recvs[k-room]
			}
		}
		for k, recv := range q.recvs {
			switch {
			case k < len(q.sends) && (r.events[recv].Op != trace.OpRecv || r.events[recv].Value == 1):
				r.src[recv] = q.sends[k]
			case q.closed >= 0 && q.closed < recv:
				r.src[recv] = q.closed
			}
		}
	}
	r.cancelled()
	for c := range many {
		if written[c] {
			r.shared[c] = true
		}
	}
}

// seenIn is the write to a cell that a read saw the value of, of which last is the latest
// in the order of the run: under a weaker memory model it may be an earlier one, or -1,
// what was there before all of them.
func (r *run) seenIn(c cell, read, last int) int {
	e := &r.events[read]
	if r.Schedule.Memory == trace.SC || e.Op != trace.OpRead || !e.HasValue {
		return last
	}
	for _, w := range slices.Backward(r.byCell[c]) {
		switch o := &r.events[w]; {
		case w > last || !o.Writes():
		case o.Op != trace.OpWrite || !o.HasValue || o.Value == e.Value:
			return w
		}
	}
	return -1
}

// handed makes the wait of a sender the source of what was received from it where it did
// not go on before the run ended.
func (r *run) handed() {
	r.taken = map[int]bool{}
	for i := range r.events {
		if !isRecv(&r.events[i]) || r.src[i] >= 0 || r.pos[i] == 0 {
			continue
		}
		woke := &r.events[r.byG[r.events[i].G][r.pos[i]-1]]
		if woke.Op != trace.OpUnblock || woke.Aux >= uint64(len(r.byG)) {
			continue
		}
		list := r.byG[woke.Aux]
		if len(list) == 0 {
			continue
		}
		last := list[len(list)-1]
		if e := &r.events[last]; e.Op == trace.OpBlock && e.Obj == r.events[i].Obj && trace.Op(e.Aux&0xffffffff) == trace.OpSend && last < i {
			r.src[i], r.taken[last] = last, true
		}
	}
}

// cancelled makes the cancelling of a context the source of what was received from its
// channel where that is the one that package context closes when the program begins:
// a context that is cancelled before its first Done has that.
func (r *run) cancelled() {
	for i, src := range r.src {
		if src < 0 || !isRecv(&r.events[i]) || !hasFrame(r.stack(src), "context.init") {
			continue
		}
		list := r.byG[r.events[i].G]
		for p := r.pos[i] - 1; p >= 0; p-- {
			if x := list[p]; r.events[x].Op == trace.OpAtomicLoad && hasFrame(r.stack(x), "context.(*cancelCtx).Done") {
				r.src[i] = r.src[x]
				break
			}
		}
	}
}

// hasFrame reports whether the innermost frame is one of a function whose name begins so.
func hasFrame(st []trace.Frame, fn string) bool {
	return len(st) > 0 && strings.HasPrefix(st[0].Func, fn)
}

func (r *run) syncFlow(i int, sync map[trace.ObjID]int, chans map[trace.ObjID]*queue) {
	e := &r.events[i]
	q := chans[e.Obj]
	if q == nil && (isSend(e) || isRecv(e) || e.Op == trace.OpClose) {
		q = &queue{closed: -1}
		chans[e.Obj] = q
	}
	switch {
	case isSend(e):
		q.sends = append(q.sends, i)
	case isRecv(e):
		q.recvs = append(q.recvs, i)
	case e.Op == trace.OpClose:
		q.closed = i
	}
	switch e.Op {
	case trace.OpUnlock, trace.OpRUnlock, trace.OpWGDone, trace.OpSignal, trace.OpBroadcast, trace.OpOnceDo, trace.OpPoolPut:
		if e.Op == trace.OpOnceDo && e.Value == 0 {
			r.seen(i, sync)
			return
		}
		sync[e.Obj] = i
	case trace.OpNetDial, trace.OpNetWrite, trace.OpNetClose:
		sync[e.Obj] = i
	case trace.OpLock, trace.OpRLock, trace.OpWGWait, trace.OpCondWake, trace.OpPoolGet, trace.OpTryLock, trace.OpTryRLock,
		trace.OpNetAccept, trace.OpNetRead:
		r.seen(i, sync)
	case trace.OpSpawn:
		r.spawned(i)
	}
}

func (r *run) seen(i int, sync map[trace.ObjID]int) {
	if s, ok := sync[r.events[i].Obj]; ok {
		r.src[i] = s
	}
}

// spawned makes a go statement the source of its goroutine's first event.
func (r *run) spawned(i int) {
	child := r.events[i].Aux
	for j := i + 1; j < len(r.events); j++ {
		if uint64(r.events[j].G) == child {
			if r.events[j].Op == trace.OpStart {
				r.src[j] = i
			}
			return
		}
	}
}

// overlap reports whether two accesses touch common memory or the same object.
func (r *run) overlap(a, b int) bool {
	ea, eb := &r.events[a], &r.events[b]
	if ea.Obj != 0 && ea.Obj == eb.Obj {
		return true
	}
	cb := r.cells(eb)
	for _, c := range r.cells(ea) {
		for _, d := range cb {
			if c == d {
				return true
			}
		}
	}
	return false
}

// isShared reports whether an access is to memory that goroutines share.
func (r *run) isShared(i int) bool {
	for _, c := range r.cells(&r.events[i]) {
		if r.shared[c] {
			return true
		}
	}
	return false
}

// touching lists the memory accesses that overlap with event i, in order.
func (r *run) touching(i int) []int {
	cs := r.cells(&r.events[i])
	if len(cs) == 1 {
		return r.byCell[cs[0]]
	}
	var out []int
	seen := map[int]bool{}
	for _, c := range cs {
		for _, j := range r.byCell[c] {
			if !seen[j] {
				seen[j] = true
				out = append(out, j)
			}
		}
	}
	sortInts(out)
	return out
}

func (r *run) stack(i int) []trace.Frame {
	id := r.events[i].Stack
	if int(id) >= len(r.Stacks) {
		return nil
	}
	return r.Stacks[id]
}
