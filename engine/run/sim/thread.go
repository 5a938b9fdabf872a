package sim

import (
	"fmt"
	"hash/fnv"
	"iter"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Thread is one goroutine of a simulated program.
type Thread struct {
	m       *machine
	id      trace.GID
	parent  trace.GID
	index   int
	path    string
	key     uint64
	spawn   trace.StackID
	spawned int
	made    map[uint64]int // objects by place
	draws   uint64         // choices of selects
	said    *place         // see At
	count   uint32         // switch points passed
	vc      clock

	next    func() (*op, bool)
	stop    func()
	pending *op // what the thread stands before, or waits in
	begun   bool
	started bool // its start is recorded
	at      bool // stands at a switch point
	blocked bool // parked
	parked  bool // has parked since it was chosen to run
	ended   bool
	inside  bool // in its operation
}

// op is an operation that a thread is about to perform.
type op struct {
	kind   trace.Op
	event  trace.Op  // what completion is recorded as; 0: kind
	silent bool      // completion is no event
	obj    *object   // nil if none
	others []*object // further objects of a select
	at     place
	write  bool
	inner  bool   // goes on from the operation before: no switch point
	reason string // while blocked
	// run goes on with the operation, at first and whenever the thread was
	// woken; false: it has to wait.
	run        func() bool
	value, aux uint64 // of the event
	wake       int64  // virtual time at which it is woken; 0: by others
}

type place struct {
	frame trace.Frame
	pc    uint64
}

func (p place) site() string { return Site(int(p.pc)) }

// Site is what traces and schedules call the place at a line of the program.
func Site(line int) string { return site.OfLine("sim", line).String() }

type (
	killed struct{} // unwinds a thread whose run is over
	exited struct{} // unwinds a thread that ends itself
)

// Unwinding is true of what the simulator itself panics with to end a thread. A program
// that recovers must panic with it again.
func Unwinding(p any) bool {
	switch p.(type) {
	case killed, exited, failure:
		return true
	}
	return false
}

func newThread(m *machine, parent *Thread, body func(*Thread), at place) *Thread {
	t := &Thread{m: m, id: trace.GID(len(m.threads) + 1), path: "0", made: map[uint64]int{}, spawn: m.stack(at)}
	if parent != nil {
		parent.spawned++
		t.parent, t.index = parent.id, parent.spawned
		t.path = fmt.Sprintf("%s.%d", parent.path, parent.spawned)
		t.vc = parent.vc.clone()
		parent.vc.tick(parent.id)
	}
	t.key = Key(t.path)
	t.vc.tick(t.id)
	t.next, t.stop = iter.Pull(func(yield func(*op) bool) {
		defer t.recovered()
		t.m.yields[t.id] = yield
		body(t)
	})
	m.threads = append(m.threads, t)
	return t
}

// Key is the schedule key of the goroutine named by path ("0", "0.1", ...).
func Key(path string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(path))
	return h.Sum64()
}

func (t *Thread) recovered() {
	switch p := recover().(type) {
	case nil, killed, exited:
	case failure:
		t.m.fail(t, p)
	default:
		t.m.fail(t, failure{kind: trace.Panicked, message: fmt.Sprintf("panic: %v", p)})
	}
}

// perform stops before o and does it when the scheduler lets t go on.
func (t *Thread) perform(o *op) {
	if !t.m.yields[t.id](o) {
		panic(killed{})
	}
}

// always is the run of operations that never wait.
func always(do func()) func() bool { return func() bool { do(); return true } }

// At sets the place in a source file for the operations that follow, until the
// next At. It is for programs that are interpreted themselves.
func (t *Thread) At(function, file string, line int) {
	t.said = &place{frame: trace.Frame{Func: function, File: file, Line: line}, pc: uint64(line)}
}

// here is the place that At set, or else that of the operation's caller in the
// program.
func (t *Thread) here() place {
	if t.said != nil {
		return *t.said
	}
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	return place{
		frame: trace.Frame{Func: filepath.Base(f.Function), File: f.File, Line: f.Line},
		pc:    uint64(f.Line),
	}
}

// Go starts a thread. The switch point comes after it, as in a controlled run.
func (t *Thread) Go(body func(*Thread)) {
	at := t.here()
	child := newThread(t.m, t, body, at)
	t.m.event(t, trace.Event{Op: trace.OpSpawn, Stack: child.spawn, Aux: uint64(child.id)})
	t.perform(&op{kind: trace.OpSpawn, silent: true, at: at, run: always(func() {})})
}

// Yield lets others run, as runtime.Gosched.
func (t *Thread) Yield() {
	t.perform(&op{kind: trace.OpGosched, at: t.here(), run: always(func() {})})
}

// Sleep waits in virtual time.
func (t *Thread) Sleep(d time.Duration) {
	o := &op{kind: trace.OpSleep, silent: true, at: t.here(), reason: "sleep"}
	entered := false
	o.run = func() bool {
		if !entered {
			entered = true
			o.wake = t.m.now + int64(d)
			t.m.event(t, trace.Event{Op: trace.OpSleep, Stack: t.m.stack(o.at), Value: uint64(d), HasValue: true})
		}
		return t.m.now >= o.wake
	}
	t.perform(o)
}

// Now is the virtual time in ns.
func (t *Thread) Now() int64 { return t.m.now }

// Input is a value in [0,n) that the input seed decides.
func (t *Thread) Input(n int) int { return t.m.input.IntN(n) }

// External records an event that the scheduler does not control.
func (t *Thread) External() { t.m.external++ }

type failure struct {
	kind    trace.OutcomeKind
	message string
	at      place
	inside  bool // of sync, where the beginning of a panic is no event
}

// Panic ends the run.
func (t *Thread) Panic(format string, args ...any) {
	panic(failure{kind: trace.Panicked, message: "panic: " + fmt.Sprintf(format, args...), at: t.here()})
}

// Assert panics unless ok.
func (t *Thread) Assert(ok bool, format string, args ...any) {
	if !ok {
		panic(failure{kind: trace.Panicked, message: "panic: " + fmt.Sprintf(format, args...), at: t.here()})
	}
}

// Errorf fails the test and goes on.
func (t *Thread) Errorf(format string, args ...any) {
	t.m.testFailed(t, failure{kind: trace.TestFailed, message: fmt.Sprintf(format, args...), at: t.here()})
}

// Exit ends the thread.
func (t *Thread) Exit() { panic(exited{}) }

var _ run.Runner = (*Runner)(nil)
