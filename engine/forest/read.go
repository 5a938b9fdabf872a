package forest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/trace"
)

// reader turns a trace into steps.
type reader struct {
	f       *Forest
	t       *trace.Trace
	run     *observed
	threads []int32 // by GID; -1 outside the model
	effects []int   // by event: its place in the order of effects
	arms    map[trace.GID][]arm
	room    map[trace.GID]uint64 // capacity<<32 of the channel that it waited at last
	locked  map[string][]uint64  // where in a variable or allocation are locks, of those used so far
	glances map[trace.GID][]glance
	points  map[trace.GID]uint32 // the highest count that the next event may have
}

// read notes all things of a trace and returns its steps in the order of
// their effects.
func (f *Forest) read(t *trace.Trace) *observed {
	r := &reader{f: f, t: t, run: &observed{number: f.added, ends: map[int32]ending{}}, arms: map[trace.GID][]arm{}, room: map[trace.GID]uint64{}, points: map[trace.GID]uint32{}, locked: map[string][]uint64{}, glances: map[trace.GID][]glance{}}
	r.doubtRun()
	r.findThreads()
	r.effects = make([]int, len(t.Events))
	for i, e := range t.Linear() {
		r.effects[e] = i
	}
	for i := range t.Events {
		r.event(&t.Events[i])
	}
	r.doubtCopies()
	slices.SortStableFunc(r.run.steps, func(a, b step) int { return a.at - b.at })
	r.standing()
	return r.run
}

// doubtRun doubts what is outside the model of the run as a whole.
func (r *reader) doubtRun() {
	if r.t.Truncated {
		r.f.doubt("a run is longer than what is recorded of it")
	}
	if r.t.AllocsLost {
		r.f.doubt("a run makes more objects than can be distinguished")
	}
	if r.t.External > 0 {
		r.f.doubt("the program waits for something outside")
	}
	if k := r.t.Outcome.Kind; k == trace.StepLimit || k == trace.InternalErr || r.t.Outcome.Cut {
		r.f.doubt("a run did not come to an end")
	}
}

// plain copies what all kinds of events have.
func (r *reader) plain(e *trace.Event) step {
	s := step{thread: r.threads[e.G], child: -1, count: e.Count, seq: int32(e.Seq), took: -1}
	if e.Seq < len(r.effects) {
		s.at = r.effects[e.Seq]
	}
	if int(e.Stack) < len(r.t.Sites) {
		s.place = r.t.Sites[e.Stack]
	}
	return s
}

func (r *reader) event(e *trace.Event) {
	if e.G == 0 || r.threads[e.G] < 0 {
		if e.Op == trace.OpTimer {
			r.f.doubt(usesTimers)
		}
		return
	}
	switch e.Op {
	case trace.OpBlock:
		r.room[e.G] = e.Value >> 32 << 32
		r.lock(e)
	case trace.OpSleep, trace.OpTimer:
		r.f.doubt(usesTimers)
	case trace.OpChanLen:
		r.f.doubt("the program uses len of a channel")
	case trace.OpSyscall:
		r.f.doubt("the program waits for something outside")
	case trace.OpNetDial, trace.OpNetAccept, trace.OpNetRead, trace.OpNetWrite, trace.OpNetClose, trace.OpNetDeadline:
		r.f.doubt("what the program sends over connections is not modelled")
	case trace.OpSelectCase:
		r.arms[e.G] = append(r.arms[e.G], arm{r.chanOf(e), e.Aux&1 == 1})
		return
	case trace.OpEnd, trace.OpExit:
		r.run.ends[r.threads[e.G]] = ending{how: ended}
	case trace.OpPanic, trace.OpFatal:
		r.run.ends[r.threads[e.G]] = ending{how: failed}
	}
	r.doubtGap(e)
	s := r.plain(e)
	switch {
	case r.convert(&s, e):
		r.run.steps = append(r.run.steps, s)
	case !quiet[e.Op]:
		r.f.doubt("an operation is not modelled: " + e.Op.String())
	}
}

// quiet operations are nothing to others, or are told by other events.
var quiet = map[trace.Op]bool{
	trace.OpSpawn: true, trace.OpGosched: true, trace.OpBlock: true, trace.OpUnblock: true, trace.OpOnceDo: true, trace.OpPoolGet: true, trace.OpPoolPut: true,
	trace.OpAtomicOld: true, trace.OpRead: true, trace.OpWrite: true, trace.OpReadRange: true, trace.OpWriteRange: true, // internal to fmt
	trace.OpSleep: true, trace.OpSyscall: true, // doubted already
	trace.OpTestFail: true, trace.OpPanic: true, trace.OpFatal: true, trace.OpExit: true, trace.OpPanicStart: true,
}

// doubtGap doubts a run with switch points of which there is no event: an operation
// that is not recorded, so that its result is not known.
func (r *reader) doubtGap(e *trace.Event) {
	next := r.points[e.G]
	if e.Count > next && e.Op != trace.OpPanicStart && e.Op != trace.OpPanic && e.Op != trace.OpFatal {
		r.f.doubt("an operation is not recorded, such as len of a channel")
	}
	r.points[e.G] = max(next, e.Count+1)
	if e.Op == trace.OpSpawn {
		r.points[e.G]++ // a go statement has its switch point after it
	}
}

// convert fills in what an operation does; false: nothing to others.
func (r *reader) convert(s *step, e *trace.Event) bool {
	switch e.Op {
	case trace.OpSpawn:
		child := int(e.Aux)
		if child >= len(r.threads) || r.threads[child] < 0 {
			return false
		}
		s.op, s.child = constraint.Spawn, r.threads[child]
		return true
	case trace.OpTimer:
		s.op, s.timer = constraint.Spawn, r.f.timer(r.timerOf(e))
		return true
	case trace.OpStart:
		s.op = constraint.Start
		return true
	case trace.OpEnd:
		s.op = constraint.End
		return true
	}
	return r.memory(s, e) || r.locks(s, e) || r.channel(s, e)
}

var lockOps = map[trace.Op]constraint.Op{
	trace.OpLock: constraint.Lock, trace.OpUnlock: constraint.Unlock, trace.OpTryLock: constraint.TryLock,
	trace.OpRLock: constraint.RLock, trace.OpRUnlock: constraint.RUnlock, trace.OpTryRLock: constraint.TryRLock,
}

var groupOps = map[trace.Op]constraint.Op{
	trace.OpWGAdd: constraint.Add, trace.OpWGDone: constraint.Add, trace.OpWGWait: constraint.Wait,
}

var condOps = map[trace.Op]constraint.Op{
	trace.OpCondWait: constraint.CondWait, trace.OpCondWake: constraint.CondWake,
	trace.OpSignal: constraint.Signal, trace.OpBroadcast: constraint.Broadcast,
}

func (r *reader) locks(s *step, e *trace.Event) bool {
	if op, ok := lockOps[e.Op]; ok {
		s.op, s.thing = op, r.sync(e, constraint.Mutex)
		if op == constraint.TryLock || op == constraint.TryRLock {
			s.out = int8(e.Value)
		}
		return true
	}
	if op, ok := groupOps[e.Op]; ok {
		s.op, s.thing, s.delta = op, r.sync(e, constraint.WaitGroup), int64(e.Value)
		return true
	}
	if op, ok := condOps[e.Op]; ok {
		s.op, s.thing = op, r.sync(e, constraint.Cond)
		return true
	}
	return false
}

// sync is the synchronisation object of an event.
func (r *reader) sync(e *trace.Event, kind constraint.Kind) int32 {
	r.lock(e)
	return r.thing(e, thingKey{kind: kind}, 0, false)
}

func (r *reader) thing(e *trace.Event, k thingKey, size uint64, writes bool) int32 {
	o := r.t.Object(e.Obj)
	k.name = o.Name
	local := e.Obj == 0 || strings.HasPrefix(o.Name, "local:")
	if local {
		k.name = fmt.Sprintf("%s@%d", o.Name, r.run.number)
	}
	id, fresh := r.f.table.intern(k, size)
	th := &r.f.table.things[id]
	if fresh {
		th.local = local
		th.init.known = o.Kind == trace.ObjHeap
	}
	r.f.table.use(id, r.threads[e.G], writes)
	if th.local && th.many && (th.wrote || k.kind != constraint.Location) {
		r.f.doubt("memory without a name is shared: " + o.Var)
	}
	return id
}
