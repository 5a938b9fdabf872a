package projection

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
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
	trace.OpNetDeadline: "set deadline",
	trace.OpTestFail:    "fail", trace.OpFatal: "fatal", trace.OpExit: "exit",
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

// value is what an event read or wrote, "" if unknown or an address.
func (r *run) value(i int) string {
	e := &r.events[i]
	if !e.HasValue || e.Obj == 0 || int(e.Obj) >= len(r.Objects) || !isData(e.Op) || e.Op == trace.OpAtomicCAS {
		return ""
	}
	o := &r.Objects[e.Obj]
	return format(e.Value, o.Type, valueSize(e, o))
}

func valueSize(e *trace.Event, o *trace.Object) int {
	if isPlain(e.Op) && e.Aux >= 1 && e.Aux <= 8 {
		return int(e.Aux)
	}
	if o.Size >= 1 && o.Size <= 8 {
		return o.Size
	}
	return 8
}

var pointerLike = regexp.MustCompile(`^(\*|\[\]|map\[|chan |<-chan |func\(|interface|any$|error$|unsafe\.Pointer)`)

func format(v uint64, typ string, size int) string {
	if i := strings.LastIndexByte(typ, '.'); i >= 0 && strings.HasPrefix(typ, "atomic.") {
		typ = strings.ToLower(typ[i+1:])
	}
	switch {
	case typ == "bool":
		return strconv.FormatBool(v&0xff != 0)
	case strings.HasPrefix(typ, "uint") || typ == "byte":
		return strconv.FormatUint(mask(v, size), 10)
	case strings.HasPrefix(typ, "int") && !strings.HasPrefix(typ, "interface") || typ == "rune":
		shift := uint(64 - 8*size)
		return strconv.FormatInt(int64(v<<shift)>>shift, 10)
	case pointerLike.MatchString(typ):
		if v == 0 {
			return "nil"
		}
		return ""
	case strings.HasPrefix(typ, "float") || typ == "string":
		return ""
	}
	// A type without a name known here: small numbers are worth showing.
	shift := uint(64 - 8*size)
	if n := int64(v<<shift) >> shift; -1<<15 < n && n < 1<<20 {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

func mask(v uint64, size int) uint64 {
	shift := uint(64 - 8*size)
	return v << shift >> shift
}

// opaque reports whether an event's value is an address or part of one, which
// differs between runs without meaning anything.
func (a *analysis) opaque(e *trace.Event) bool {
	if !e.HasValue || e.Obj == 0 || int(e.Obj) >= len(a.fail.Objects) {
		return true
	}
	o := &a.fail.Objects[e.Obj]
	return e.Value != 0 && format(e.Value, o.Type, valueSize(e, o)) == ""
}

// place of a frame under its machine-independent name.
func (a *analysis) place(f trace.Frame, g string) report.Place {
	return report.Place{Goroutine: g, File: a.in.Roots.Name(f.File), Line: f.Line, Func: f.Func}
}
