package projection

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// abs makes a frame's file readable: a trace may hold names already.
func (a *analysis) abs(file string) string {
	if filepath.IsAbs(file) || a.in.Roots == (site.Roots{}) {
		return file
	}
	return a.in.Roots.Abs(file)
}

// isStd reports whether a frame is in the standard library, the test runner or
// package breakpoints, which users can't change.
func (a *analysis) isStd(f trace.Frame) bool {
	if f.Line <= 0 || f.File == "" || strings.HasPrefix(f.File, "<") || trace.IsLibrary(f) {
		return true
	}
	name := a.in.Roots.Name(f.File)
	if a.in.Roots.Goroot != "" {
		return strings.HasPrefix(name, "std/") || strings.HasPrefix(f.Func, "testing.")
	}
	return strings.HasPrefix(name, "std/") || strings.HasPrefix(f.Func, "testing.") || strings.HasPrefix(f.Func, "runtime.") || strings.HasPrefix(f.Func, "sync.")
}

func (r *run) stackOf(id trace.StackID) []trace.Frame {
	if int(id) >= len(r.Stacks) {
		return nil
	}
	return r.Stacks[id]
}

// testMain contains the main function that the go command generates for tests:
// it is not a file of the user.
const testMain = "_testmain.go"

// userFrames leaves out the standard library and the test main.
func (a *analysis) userFrames(st []trace.Frame) []trace.Frame {
	out := make([]trace.Frame, 0, len(st))
	for _, f := range st {
		if !a.isStd(f) && filepath.Base(f.File) != testMain {
			out = append(out, f)
		}
	}
	return out
}

// frames are the user's frames of a stack. What a dependency does for the module under
// search is told at the module's line, unless it is the dependency that is tested: a
// test calls it, and the object is none that the module accesses itself. A goroutine of
// the standard library's own, of a timer for example, is at the place where it was
// started.
func (a *analysis) frames(r *run, g trace.GID, id trace.StackID, obj trace.ObjID) []trace.Frame {
	st := a.userFrames(r.stackOf(id))
	if len(st) == 0 {
		return a.userFrames(r.stackOf(r.Goroutine(g).Spawn))
	}
	at := slices.IndexFunc(st, a.inModule)
	if at <= 0 || strings.HasSuffix(st[at].File, "_test.go") && !a.ownObject(r, obj) {
		return st
	}
	return st[at:]
}

func (a *analysis) inModule(f trace.Frame) bool { return !trace.InDependency(a.in.Roots.Name(f.File)) }

// ownObject reports whether code of the module accesses an object.
func (a *analysis) ownObject(r *run, obj trace.ObjID) bool {
	if r.own == nil {
		r.own = map[trace.ObjID]bool{}
		for i := range r.events {
			if st := a.userFrames(r.stack(i)); len(st) > 0 && a.inModule(st[0]) {
				r.own[r.events[i].Obj] = true
			}
		}
	}
	return r.own[obj]
}

// gname is a goroutine's name for display.
func (r *run) gname(g trace.GID) string {
	if int(g) < len(r.Goroutines) && r.Goroutines[g].Display != "" {
		return r.Goroutines[g].Display
	}
	return fmt.Sprintf("goroutine %d", g)
}

func (r *run) varName(obj trace.ObjID) string {
	if obj == 0 || int(obj) >= len(r.Objects) {
		return ""
	}
	return r.Objects[obj].Var
}

// opWord is how an operation is called in a root cause.
func opWord(op trace.Op) string {
	if w, ok := opWords[op]; ok {
		return w
	}
	return "step"
}

var opWords = map[trace.Op]string{
	trace.OpRead: "read", trace.OpReadRange: "read", trace.OpWrite: "write", trace.OpWriteRange: "write",
	trace.OpAtomicLoad: "load", trace.OpAtomicStore: "store", trace.OpAtomicRMW: "add", trace.OpAtomicCAS: "cas",
	trace.OpMapRead: "read", trace.OpMapWrite: "write", trace.OpLock: "lock", trace.OpUnlock: "unlock",
	trace.OpRLock: "rlock", trace.OpRUnlock: "runlock", trace.OpTryLock: "trylock", trace.OpTryRLock: "tryrlock",
	trace.OpWGAdd: "add", trace.OpWGDone: "done", trace.OpWGWait: "wait", trace.OpCondWait: "wait", trace.OpCondWake: "wait",
	trace.OpSignal: "signal", trace.OpBroadcast: "broadcast", trace.OpOnceDo: "once", trace.OpSend: "send", trace.OpRecv: "receive",
	trace.OpClose: "close", trace.OpSelect: "select", trace.OpPoolGet: "get", trace.OpPoolPut: "put", trace.OpSpawn: "go",
	trace.OpStart: "start", trace.OpEnd: "end", trace.OpSleep: "sleep", trace.OpPanic: "panic", trace.OpPanicStart: "panic",
	trace.OpNetDial: "dial", trace.OpNetAccept: "accept", trace.OpNetRead: "read", trace.OpNetWrite: "write", trace.OpNetClose: "close",
	trace.OpNetDeadline: "set deadline", trace.OpTimer: "set timer", trace.OpTimerStop: "stop timer",
	trace.OpTestFail: "fail", trace.OpFatal: "fatal", trace.OpExit: "exit",
}

// opTexts are what the operation may look like in source, for its column.
func opTexts(op trace.Op) []string {
	switch op {
	case trace.OpSend, trace.OpRecv, trace.OpSelect:
		return []string{"<-", "range", "select"}
	case trace.OpClose:
		return []string{"close"}
	case trace.OpLock:
		return []string{"Lock"}
	case trace.OpUnlock:
		return []string{"Unlock"}
	case trace.OpRLock:
		return []string{"RLock"}
	case trace.OpCondWait, trace.OpCondWake, trace.OpWGWait:
		return []string{"Wait"}
	case trace.OpSignal:
		return []string{"Signal"}
	case trace.OpBroadcast:
		return []string{"Broadcast"}
	case trace.OpWGDone:
		return []string{"Done", "Add"}
	case trace.OpAtomicLoad:
		return []string{"Load", "LoadInt32", "LoadInt64", "LoadPointer"}
	case trace.OpAtomicStore:
		return []string{"Store"}
	case trace.OpAtomicRMW:
		return []string{"Add", "Swap"}
	case trace.OpPanic, trace.OpPanicStart:
		return []string{"panic"}
	}
	return nil
}

// place of a frame under its machine-independent name.
func (a *analysis) place(f trace.Frame, g string) report.Place {
	return report.Place{Goroutine: g, File: a.in.Roots.Name(f.File), Line: f.Line, Func: f.Func}
}
