package breakpoints

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// goState is what a dump says of one goroutine.
type goState int

const (
	goRunning goState = iota // running, runnable, sleeping, in a system call, or waiting at a point
	goBlocked                // waits for another goroutine
	goGone                   // not there any more
)

// blockedStates are the wait reasons that only another goroutine can end.
// Sleep, IO wait and system calls end by themselves.
var blockedStates = []string{"chan receive", "chan send", "select", "sync.", "semacquire"}

// snapshot is a parsed dump of all goroutines.
type snapshot struct {
	states []stateOf
	self   int64
	bubble string // of the goroutine that took it
}

type stateOf struct {
	header
	waiter *waiter // what holds it
	text   []byte  // of a goroutine that waits for a lock: all of its part of the dump
}

// header is what "goroutine 18 [chan receive (durable), 2 minutes, synctest
// bubble 3]:" says.
type header struct {
	goid    int64
	state   goState
	lock    string // "sync.Mutex", "sync.RWMutex" if it waits for one
	durable bool   // only its bubble can wake it, or its bubble's clock
	bubble  string // number of its synctest bubble
}

// dumpSize is how large the last dump was, since each try costs a stop of the world.
var dumpSize atomic.Int64

const maxDump = 1 << 26

// stacks returns a dump of all goroutines, the caller's first.
//
//go:norace
func stacks() []byte {
	for n := max(1<<18, 2*int(dumpSize.Load())); ; n *= 2 {
		buf := make([]byte, min(n, maxDump))
		if m := runtime.Stack(buf, true); m < len(buf) || n >= maxDump {
			dumpSize.Store(int64(m))
			return buf[:m]
		}
	}
}

// takeSnapshot must be called by a goroutine that waits at a point.
//
//go:norace
func takeSnapshot() *snapshot {
	s := &snapshot{}
	for i, g := range bytes.Split(stacks(), []byte("\n\n")) {
		h := parseHeader(string(g[:min(len(g), 200)]))
		if h.goid == 0 {
			continue
		}
		if i == 0 {
			s.self, s.bubble = h.goid, h.bubble
		}
		st := stateOf{header: h}
		switch {
		case h.state == goBlocked && inOwnCode(g):
			st.state = goRunning // waits for this package's own lock, or at a point
		case h.lock != "":
			st.text = g
		case h.state == goRunning && bytes.Contains(g, signalFrame):
			st.state = goBlocked // package os/signal's: it waits for the world outside
		}
		s.states = append(s.states, st)
	}
	return s
}

// How the lines of methods that wait start in dumps: of this copy of the
// package, imported or injected, and of the other one.
var (
	ownFrames   = framesOf(ownPath(), "hocketpoints", "github.com/hocket-dev/hocket/breakpoints")
	signalFrame = []byte("\nos/signal.signal_recv(")
)

//go:norace
func framesOf(paths ...string) (frames [][]byte) {
	for _, p := range paths {
		for _, t := range []string{"core", "game", "Breakpoint"} {
			frames = append(frames, []byte("\n"+p+".(*"+t+")."))
		}
	}
	return frames
}

//go:norace
func inOwnCode(g []byte) bool {
	for _, f := range ownFrames {
		if bytes.Contains(g, f) {
			return true
		}
	}
	return false
}

//go:norace
func ownPath() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	slash := strings.LastIndexByte(name, '/') + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + pkg
}

//go:norace
func parseHeader(g string) (h header) {
	g, ok := strings.CutPrefix(strings.TrimLeft(g, "\n"), "goroutine ")
	if !ok {
		return h
	}
	num, rest, _ := strings.Cut(g, " ")
	id, err := strconv.ParseInt(num, 10, 64)
	if err != nil {
		return h
	}
	h.goid = id
	_, st, _ := strings.Cut(rest, "[")
	st, _, _ = strings.Cut(st, "]")
	for _, b := range blockedStates {
		if strings.HasPrefix(st, b) {
			h.state = goBlocked
		}
	}
	for _, l := range []string{"sync.Mutex", "sync.RWMutex"} {
		if strings.HasPrefix(st, l+".") {
			h.lock = l
		}
	}
	h.durable = strings.Contains(st, "(durable)")
	_, b, _ := strings.Cut(st, "synctest bubble ")
	h.bubble, _, _ = strings.Cut(b, ",")
	return h
}

//go:norace
func (s *snapshot) state(goid int64) goState {
	for i := range s.states {
		if s.states[i].goid == goid {
			return s.states[i].state
		}
	}
	return goGone
}

// othersBlocked reports whether nobody but the goroutines in waiting can go on. In
// the bubble of a goroutine that is held, those that sleep can't either.
//
//go:norace
func (s *snapshot) othersBlocked(waiting func(st *stateOf) bool) bool {
	for i := range s.states {
		st := &s.states[i]
		blocked := st.state == goBlocked || st.durable && st.bubble == s.bubble && s.bubble != ""
		if !blocked && st.goid != s.self && !waiting(st) {
			return false
		}
	}
	return true
}

// self is what the calling goroutine's own dump says of it.
//
//go:norace
func self() header {
	var buf [128]byte
	return parseHeader(string(buf[:runtime.Stack(buf[:], false)]))
}

// goid is the number of the calling goroutine.
//
//go:norace
func goid() int64 { return self().goid }
