package sim

import (
	"fmt"
	"hash/fnv"
	"iter"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Thread is one goroutine of a simulated program.
type Thread struct {
	m       *machine
	id      trace.GID
	path    string
	key     uint64
	spawned int
	count   uint32 // switch points passed
	vc      clock

	next    func() (*op, bool)
	stop    func()
	pending *op
	blocked bool // tried pending and could not go on
	ended   bool
}

// op is an operation that a thread is about to perform.
type op struct {
	kind    trace.Op
	obj     *object // nil if none
	at      place
	ready   func() bool // nil: always
	do      func()
	write   bool
	cases   []comm    // channel operations
	outcome *commDone // set when a partner completed it
	wake    int64     // OpSleep: virtual time
	reason  string    // while blocked
}

type place struct {
	frame trace.Frame
	pc    uint64
}

type (
	killed struct{} // unwinds a thread whose run is over
	exited struct{} // unwinds a thread that ends itself
)

func newThread(m *machine, parent *Thread, body func(*Thread), at place) *Thread {
	t := &Thread{m: m, id: trace.GID(len(m.threads) + 1), path: "0"}
	if parent != nil {
		parent.spawned++
		t.path = fmt.Sprintf("%s.%d", parent.path, parent.spawned)
		t.vc = parent.vc.clone()
		parent.vc.tick(parent.id)
	}
	t.key = Key(t.path)
	t.vc.tick(t.id)
	t.pending = &op{kind: trace.OpStart, at: at, do: func() {}}
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

// here is the place of the operation's caller in the program.
func here() place {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	return place{
		frame: trace.Frame{Func: filepath.Base(f.Function), File: f.File, Line: f.Line},
		pc:    uint64(f.Line),
	}
}

// Go starts a thread.
func (t *Thread) Go(body func(*Thread)) {
	at := here()
	t.perform(&op{kind: trace.OpSpawn, at: at, do: func() { newThread(t.m, t, body, at) }})
}

// Yield lets others run, as runtime.Gosched.
func (t *Thread) Yield() {
	t.perform(&op{kind: trace.OpGosched, at: here(), do: func() {}})
}

// Sleep waits in virtual time.
func (t *Thread) Sleep(d time.Duration) {
	o := &op{kind: trace.OpSleep, at: here(), wake: -1, do: func() {}, reason: "sleep"}
	o.ready = func() bool {
		if o.wake < 0 {
			o.wake = t.m.now + int64(d)
		}
		return t.m.now >= o.wake
	}
	t.perform(o)
}

// Now is the virtual time in ns.
func (t *Thread) Now() int64 { return t.m.now }

// Input is a value in [0,n) that the input seed decides.
func (t *Thread) Input(n int) int { return t.m.input.IntN(n) }

// External marks an event that control does not reach.
func (t *Thread) External() { t.m.external++ }

type failure struct {
	kind    trace.OutcomeKind
	message string
	at      place
}

// Panic ends the run.
func (t *Thread) Panic(format string, args ...any) {
	panic(failure{trace.Panicked, "panic: " + fmt.Sprintf(format, args...), here()})
}

// Assert panics unless ok.
func (t *Thread) Assert(ok bool, format string, args ...any) {
	if !ok {
		panic(failure{trace.Panicked, "panic: " + fmt.Sprintf(format, args...), here()})
	}
}

// Errorf fails the test and goes on.
func (t *Thread) Errorf(format string, args ...any) {
	t.m.testFailed(t, failure{trace.TestFailed, fmt.Sprintf(format, args...), here()})
}

// Exit ends the thread.
func (t *Thread) Exit() { panic(exited{}) }

var _ replay.Runner = (*Runner)(nil)
