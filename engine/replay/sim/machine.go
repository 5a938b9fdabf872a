package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/trace"
)

const (
	defaultSteps = 20_000
	drain        = int64(time.Millisecond) // virtual time that goes on after main
)

// machine is one run.
type machine struct {
	spec    replay.Spec
	picker  picker
	threads []*Thread // index = id-1
	yields  map[trace.GID]func(*op) bool
	running *Thread
	now     int64
	steps   int
	objects int
	hash    uint64
	hot     map[uint64]bool
	selects *rand.Rand
	input   *rand.Rand

	segments []trace.Segment
	ends     []replay.EndReason
	events   []trace.Event
	stacks   [][]trace.Frame
	races    []replay.RacePair
	raced    map[[2]place]bool
	external int
	diverged bool
	deadline int64 // virtual time at which draining stops; 0 while main runs

	outcome trace.Outcome
	place   trace.Frame
	over    bool
}

func newMachine(spec replay.Spec, main func(*Thread)) *machine {
	s := spec.Schedule
	m := &machine{
		spec: spec, yields: map[trace.GID]func(*op) bool{}, hash: 14695981039346656037,
		hot: map[uint64]bool{}, raced: map[[2]place]bool{}, stacks: [][]trace.Frame{nil},
		selects: rand.New(rand.NewPCG(s.SelectSeed, 1)),
		input:   rand.New(rand.NewPCG(s.InputSeed, 2)),
	}
	for _, pc := range s.HotPCs {
		m.hot[pc] = true
	}
	m.picker = newPicker(m)
	newThread(m, nil, main, place{frame: trace.Frame{Func: "main"}})
	return m
}

// run plays the program to its end.
func (m *machine) run() {
	defer func() {
		for _, t := range m.threads {
			t.stop()
		}
	}()
	limit := m.spec.Steps
	if limit == 0 {
		limit = defaultSteps
	}
	for !m.over {
		t := m.choose()
		if t == nil {
			m.finish()
			return
		}
		if m.steps++; m.steps > limit {
			m.outcome = trace.Outcome{Kind: trace.StepLimit, Message: "step limit"}
			return
		}
		m.step(t)
	}
}

// choose lets the picker take a runnable thread; when there is none, virtual
// time jumps to the next sleeper.
func (m *machine) choose() *Thread {
	for {
		if m.deadline != 0 && m.now > m.deadline {
			return nil
		}
		if r := m.runnable(); len(r) > 0 {
			return m.switchTo(m.picker.pick(r))
		}
		if !m.jump() {
			return nil
		}
	}
}

func (m *machine) runnable() (r []*Thread) {
	for _, t := range m.threads {
		if t.canRun() {
			r = append(r, t)
		}
	}
	return r
}

func (t *Thread) canRun() bool {
	return !t.ended && t.pending != nil && (!t.blocked || t.pending.ready())
}

func (m *machine) jump() bool {
	next := int64(-1)
	for _, t := range m.threads {
		if !t.ended && t.blocked && t.pending.kind == trace.OpSleep && (next < 0 || t.pending.wake < next) {
			next = t.pending.wake
		}
	}
	if next < 0 {
		return false
	}
	m.now = next
	return true
}

// switchTo closes the running thread's segment if t is another one.
func (m *machine) switchTo(t *Thread) *Thread {
	if m.running != nil && m.running != t {
		m.closeSegment()
	}
	m.running = t
	return t
}

func (m *machine) closeSegment() {
	t, why := m.running, replay.Preempted
	switch {
	case t.ended:
		why = replay.Ended
	case t.blocked:
		why = replay.Blocked
	case t.pending != nil && t.pending.kind == trace.OpGosched:
		why = replay.Yielded
	}
	m.segments = append(m.segments, trace.Segment{G: t.key, Until: t.count})
	m.ends = append(m.ends, why)
}

// step lets t pass its switch point: it performs its operation, or blocks.
// Going on after having been blocked counts as a point of its own: otherwise
// no segment could say "go on up to your next operation".
func (m *machine) step(t *Thread) {
	o := t.pending
	t.count++
	m.now += m.spec.Schedule.ClockStep
	if o.ready != nil && !o.ready() {
		t.blocked = true
		return
	}
	t.blocked = false
	o.do()
	m.record(t, o)
	if m.over {
		return
	}
	next, ok := t.next()
	if !ok {
		t.ended, t.pending = true, nil
		if t.id == 1 {
			m.deadline = m.now + drain
		}
		return
	}
	t.pending = next
}

func (m *machine) record(t *Thread, o *op) {
	for _, x := range []uint64{t.key, uint64(o.kind), o.at.pc} {
		m.hash = (m.hash ^ x) * 1099511628211
	}
	m.picker.performed(t, o)
	if m.spec.Record != replay.Full {
		return
	}
	e := trace.Event{Seq: len(m.events), G: t.id, Op: o.kind, Count: t.count, Time: m.now, Stack: m.stack(o.at)}
	if o.obj != nil {
		e.Obj = o.obj.id
	}
	m.events = append(m.events, e)
}

func (m *machine) stack(p place) trace.StackID {
	m.stacks = append(m.stacks, []trace.Frame{p.frame})
	return trace.StackID(len(m.stacks) - 1)
}

func (m *machine) fail(t *Thread, f failure) {
	m.over = true
	m.outcome = trace.Outcome{Kind: f.kind, Message: f.message, Goroutine: t.id}
	m.place = f.at.frame
}

func (m *machine) testFailed(t *Thread, f failure) {
	if m.outcome.Kind == "" {
		m.outcome = trace.Outcome{Kind: f.kind, Message: f.message, Goroutine: t.id}
		m.place = f.at.frame
	}
}

func (m *machine) race(a accessed, o *op) {
	if k := [2]place{a.at, o.at}; !m.raced[k] {
		m.raced[k] = true
		m.races = append(m.races, replay.RacePair{
			First: a.at.frame, Second: o.at.frame, FirstPC: a.at.pc, SecondPC: o.at.pc,
			FirstWrite: a.write, SecondWrite: o.write,
		})
	}
}

// finish decides the outcome when nothing can run any more.
func (m *machine) finish() {
	for _, t := range m.threads {
		if t.ended || !t.blocked || t.pending.kind == trace.OpSleep {
			continue
		}
		m.outcome.Blocked = append(m.outcome.Blocked, trace.Blocked{
			G: t.id, Op: t.pending.kind, Reason: t.pending.reason, Leaked: m.deadline != 0,
		})
	}
	switch {
	case m.outcome.Kind != "":
	case m.deadline == 0:
		m.outcome.Kind, m.outcome.Message = trace.Deadlocked, "all goroutines are asleep - deadlock!"
	case len(m.outcome.Blocked) > 0:
		m.outcome.Kind, m.outcome.Message = trace.Leaked, "goroutines are blocked for ever"
	default:
		m.outcome.Kind = trace.Passed
	}
}

func (m *machine) result() *replay.Result {
	if m.running != nil {
		m.closeSegment()
	}
	s := m.spec.Schedule
	s.Segments = m.segments
	h := fnv.New64a()
	h.Write([]byte(m.outcome.Kind))
	r := &replay.Result{
		Outcome: m.outcome, Place: m.place, Schedule: s, Ends: m.ends, Hash: m.hash ^ h.Sum64(),
		Steps: m.steps, Races: m.races, External: m.external, Diverged: m.diverged,
	}
	for _, b := range m.outcome.Blocked {
		r.BlockedAt = append(r.BlockedAt, m.threads[b.G-1].pending.at.frame)
	}
	if m.spec.Record == replay.Full {
		r.Trace = m.trace(r)
	}
	return r
}

func (m *machine) trace(r *replay.Result) *trace.Trace {
	tr := &trace.Trace{
		Version: trace.Version, Goroutines: []trace.Goroutine{{}}, Objects: make([]trace.Object, m.objects+1),
		Stacks: m.stacks, Events: m.events, Schedule: r.Schedule, Hash: r.Hash, Steps: r.Steps,
		VirtualNS: m.now, Outcome: r.Outcome, External: r.External,
	}
	for _, t := range m.threads {
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: t.id, Path: t.path, Key: t.key, Ended: t.ended})
	}
	return tr
}
