package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

const (
	defaultSteps = 20_000
	drain        = int64(time.Millisecond) // virtual time that goes on after main
)

// machine is one run.
type machine struct {
	spec    run.Spec
	decide  *Decider
	picker  picker
	threads []*Thread // index = id-1
	alarms  []*Alarm
	yields  map[trace.GID]func(*op) bool
	running *Thread
	now     int64
	steps   int
	hash    uint64
	hot     map[uint64]bool
	input   *rand.Rand

	segments []trace.Segment
	ends     []run.EndReason
	events   []trace.Event
	pendings []trace.Event
	objects  []trace.Object
	stacks   [][]trace.Frame
	sites    []string
	races    []run.RacePair
	raced    map[[2]place]bool
	pairs    map[[2]writer]*paired
	external int
	diverged bool
	draining bool // main has returned

	outcome trace.Outcome
	place   trace.Frame
	over    bool
}

func newMachine(spec run.Spec, decide *Decider, main func(*Thread)) *machine {
	s := spec.Schedule
	m := &machine{
		spec: spec, decide: decide, yields: map[trace.GID]func(*op) bool{}, hash: 14695981039346656037,
		hot: map[uint64]bool{}, raced: map[[2]place]bool{}, pairs: map[[2]writer]*paired{},
		objects: make([]trace.Object, 1), stacks: [][]trace.Frame{nil}, sites: []string{""},
		input: rand.New(rand.NewPCG(s.InputSeed, 2)),
	}
	for _, text := range s.Hot {
		if at, err := site.Parse(text); err == nil {
			m.hot[uint64(at.Chain[0].Line)] = true
		}
	}
	m.picker = newPicker(m)
	t := newThread(m, nil, main, place{frame: trace.Frame{Func: "main.main"}})
	m.first(t)
	return m
}

// run plays the program to its end.
func (m *machine) run() {
	defer func() {
		for _, t := range m.threads {
			t.stop()
		}
	}()
	for !m.over {
		t := m.choose()
		if t == nil {
			m.finish()
			return
		}
		m.advance(t)
	}
}

// choose lets the picker take a runnable thread; when there is none, virtual
// time jumps to the next sleeper.
func (m *machine) choose() *Thread {
	for {
		m.timers()
		if r := m.runnable(); len(r) > 0 {
			return m.picker.pick(r)
		}
		if !m.jump() {
			return nil
		}
	}
}

func (m *machine) runnable() (r []*Thread) {
	for _, t := range m.threads {
		if !t.ended && !t.blocked {
			r = append(r, t)
		}
	}
	return r
}

// timers wakes the threads whose time has come.
func (m *machine) timers() {
	for _, t := range m.threads {
		if t.blocked && t.pending.wake > 0 && t.pending.wake <= m.now {
			m.wake(nil, t)
		}
	}
	m.ring()
}

func (m *machine) jump() bool {
	next := int64(0)
	for _, t := range m.threads {
		if w := t.pending; t.blocked && w.wake > 0 && (next == 0 || w.wake < next) {
			next = w.wake
		}
	}
	for _, a := range m.alarms {
		if a.armed && (next == 0 || a.at < next) {
			next = a.at
		}
	}
	if next == 0 {
		return false
	}
	m.now = next
	return true
}

// advance lets t go on up to its next switch point, or until it has to wait.
func (m *machine) advance(t *Thread) {
	m.switchTo(t)
	switch {
	case !t.begun:
		t.begun = true
	case t.at:
		t.at = false
		t.count++
		m.segments[len(m.segments)-1].Until = t.count
		m.hashIn(t.key, uint64(t.pending.kind), t.pending.at.pc)
		m.picker.performed(t, t.pending)
		fallthrough
	default:
		if !m.perform(t) {
			return
		}
	}
	m.goOn(t)
}

// perform goes on with t's operation; false: it waits, or the run is over.
func (m *machine) perform(t *Thread) bool {
	o := t.pending
	t.inside = true
	ok := o.run()
	if t.inside = false; !ok {
		if !m.over {
			m.park(t)
		}
		return false
	}
	if m.over {
		return false
	}
	m.pair(t, o)
	if !o.silent {
		kind := o.kind
		if o.event != 0 {
			kind = o.event
		}
		m.event(t, trace.Event{Op: kind, Obj: o.obj.ID(), Stack: m.stack(o.at), Value: o.value, HasValue: true, Aux: o.aux})
		m.hashIn(t.key, uint64(kind)<<8, o.value)
	}
	return true
}

// goOn runs t's own code up to its next switch point.
func (m *machine) goOn(t *Thread) {
	for {
		next, ok := t.next()
		if m.over {
			return
		}
		if !ok {
			m.end(t)
			return
		}
		t.pending = next
		if !next.inner {
			m.arrive(t)
			return
		}
		if !m.perform(t) {
			return
		}
	}
}

// arrive stops t at a switch point.
func (m *machine) arrive(t *Thread) {
	m.first(t)
	t.at = true
	m.now += m.spec.Schedule.ClockStep
	limit := m.spec.Steps
	if limit == 0 {
		limit = defaultSteps
	}
	if m.steps++; m.steps > limit {
		m.over = true
		m.outcome = trace.Outcome{Kind: trace.StepLimit, Message: "step limit reached"}
	}
}

// end of a thread. The rest of the program goes on for a while after main's,
// which sleeps that long.
func (m *machine) end(t *Thread) {
	if t.id != 1 {
		m.first(t)
		m.event(t, trace.Event{Op: trace.OpEnd})
		t.ended = true
		return
	}
	m.draining = true
	t.pending = &op{silent: true, wake: m.now + drain, reason: "sleep"}
	t.pending.run = func() bool {
		if m.now < t.pending.wake {
			return false
		}
		m.over = true
		m.finish()
		return true
	}
	m.perform(t)
}

func (m *machine) park(t *Thread) {
	t.blocked, t.parked = true, true
	m.event(t, trace.Event{Op: trace.OpBlock, Obj: t.pending.obj.ID(), Stack: m.stack(t.pending.at), Value: t.capacity(), HasValue: true, Aux: uint64(t.pending.kind)})
}

// wake makes t runnable; by is nil for time.
func (m *machine) wake(by, t *Thread) {
	t.blocked = false
	e := trace.Event{Op: trace.OpUnblock, Aux: uint64(t.id)}
	if by != nil {
		e.G, e.Count = by.id, by.count
	}
	m.append(e)
}

// switchTo records that t runs next, for the schedule of the result.
func (m *machine) switchTo(t *Thread) {
	if m.running == t && !t.parked {
		return
	}
	m.closeSegment()
	t.parked = false
	m.running = t
	m.segments = append(m.segments, trace.Segment{G: t.key, Until: t.count})
}

func (m *machine) closeSegment() {
	t, why := m.running, run.Preempted
	switch {
	case t == nil:
		return
	case t.parked:
		why = run.Blocked
	case t.ended:
		why = run.Ended
	case t.at && t.pending.kind == trace.OpGosched:
		why = run.Yielded
	}
	m.ends = append(m.ends, why)
}

func (m *machine) fail(t *Thread, f failure) {
	m.first(t)
	m.over = true
	m.outcome = trace.Outcome{Kind: f.kind, Message: f.message, Goroutine: t.id}
	m.place = f.at.frame
	if s := m.stack(f.at); f.kind == trace.FatalError {
		m.event(t, trace.Event{Op: trace.OpFatal, Stack: s})
	} else {
		if !f.inside {
			m.event(t, trace.Event{Op: trace.OpPanicStart, Stack: s})
		}
		m.event(t, trace.Event{Op: trace.OpPanic, Stack: s})
	}
	m.standing(t)
}

func (m *machine) testFailed(t *Thread, f failure) {
	m.first(t)
	m.event(t, trace.Event{Op: trace.OpTestFail, Stack: m.stack(f.at)})
	if m.outcome.Kind == "" {
		m.outcome = trace.Outcome{Kind: f.kind, Message: f.message, Goroutine: t.id}
		m.place = f.at.frame
	}
}

// finish decides the outcome when nothing can run any more, or the time after
// main is over.
func (m *machine) finish() {
	m.standing(nil)
	for _, t := range m.threads {
		if !t.blocked || t.pending.wake > 0 {
			continue
		}
		m.outcome.Blocked = append(m.outcome.Blocked, trace.Blocked{
			G: t.id, Op: t.pending.kind, Obj: t.pending.obj.ID(), Stack: m.stack(t.pending.at), Reason: t.pending.reason, Leaked: true,
		})
	}
	leaked := len(m.outcome.Blocked)
	switch {
	case m.outcome.Kind != "":
	case !m.draining:
		m.outcome.Kind, m.outcome.Message = trace.Deadlocked, "all goroutines are asleep"
	case leaked > 0:
		m.outcome.Kind, m.outcome.Message = trace.Leaked, leaks(leaked)
	case len(m.races) > 0:
		m.outcome.Kind, m.outcome.Message = trace.Raced, "data race"
	default:
		m.outcome.Kind = trace.Passed
	}
}

func (m *machine) result() *run.Result {
	m.closeSegment()
	s := m.spec.Schedule
	s.Segments = m.segments
	h := fnv.New64a()
	h.Write([]byte(m.outcome.Kind))
	r := &run.Result{
		Outcome: m.outcome, Place: m.place, Schedule: s, Ends: m.ends, Hash: m.hash ^ h.Sum64(),
		Steps: m.steps, Races: m.races, External: m.external, Diverged: m.diverged,
		Pairs: m.pairsSeen(),
	}
	for _, b := range m.outcome.Blocked {
		r.BlockedAt = append(r.BlockedAt, m.threads[b.G-1].pending.at.frame)
	}
	if m.full() {
		r.Trace = m.trace(r)
	}
	return r
}
