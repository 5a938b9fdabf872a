package breakpoints

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
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
}

type stateOf struct {
	goid  int64
	state goState
}

// stacks returns a dump of all goroutines, the caller's first.
//
//go:norace
func stacks() []byte {
	for n := 1 << 18; ; n *= 2 {
		buf := make([]byte, n)
		if m := runtime.Stack(buf, true); m < n || n >= 1<<26 {
			return buf[:m]
		}
	}
}

// takeSnapshot must be called by a goroutine that waits at a point.
//
//go:norace
func takeSnapshot() snapshot {
	var s snapshot
	for i, g := range bytes.Split(stacks(), []byte("\n\n")) {
		id, st := parseHeader(string(g[:min(len(g), 200)]))
		if id == 0 {
			continue
		}
		if i == 0 {
			s.self = id
		}
		if st == goBlocked && (bytes.Contains(g, coreFrame) || bytes.Contains(g, gameFrame)) {
			st = goRunning // waits for this package's own lock
		}
		s.states = append(s.states, stateOf{id, st})
	}
	return s
}

// How the lines of this package's own methods start in dumps. The package's
// path differs between the imported and the injected copy.
var (
	coreFrame = []byte("\n" + ownPath() + ".(*core).")
	gameFrame = []byte("\n" + ownPath() + ".(*game).")
)

//go:norace
func ownPath() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	slash := strings.LastIndexByte(name, '/') + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + pkg
}

// parseHeader reads "goroutine 18 [chan receive, 2 minutes]:".
//
//go:norace
func parseHeader(g string) (int64, goState) {
	g, ok := strings.CutPrefix(strings.TrimLeft(g, "\n"), "goroutine ")
	if !ok {
		return 0, goRunning
	}
	num, rest, _ := strings.Cut(g, " ")
	id, err := strconv.ParseInt(num, 10, 64)
	if err != nil {
		return 0, goRunning
	}
	if _, st, ok := strings.Cut(rest, "["); ok {
		for _, b := range blockedStates {
			if strings.HasPrefix(st, b) {
				return id, goBlocked
			}
		}
	}
	return id, goRunning
}

//go:norace
func (s snapshot) state(goid int64) goState {
	for _, g := range s.states {
		if g.goid == goid {
			return g.state
		}
	}
	return goGone
}

// othersBlocked says that nobody but the goroutines in waiting can go on.
//
//go:norace
func (s snapshot) othersBlocked(waiting func(goid int64) bool) bool {
	for _, g := range s.states {
		if g.state != goBlocked && g.goid != s.self && !waiting(g.goid) {
			return false
		}
	}
	return true
}

// goid is the number of the calling goroutine.
//
//go:norace
func goid() int64 {
	var buf [64]byte
	id, _ := parseHeader(string(buf[:runtime.Stack(buf[:], false)]))
	return id
}
