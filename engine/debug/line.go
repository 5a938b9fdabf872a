package debug

import (
	"regexp"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// before is the stop at the beginning of the line that performs event i. A line
// may perform several: an addition reads and writes, a call may lock and
// unlock. Walking back ends where the line differs, or where the same
// instruction comes again, which is an earlier visit.
func (f *finder) before(i int) (Stop, bool) {
	e := f.t.Events[i]
	fr, ok := f.t.UserFrame(e.Stack)
	if !ok {
		return Stop{}, false
	}
	s := f.stop(e, fr)
	s.at = 2 * i
	s.Last = f.passedBefore(e)
	seen := map[step]bool{stepOf(e): true}
	for j := i - 1; j >= 0; j-- {
		p := f.t.Events[j]
		if p.G != e.G {
			continue
		}
		s.First = min(p.Count, s.Last)
		if p.Op == trace.OpStart || p.Op == trace.OpUnblock {
			continue // has no place; the place before it is used
		}
		if seen[stepOf(p)] || !slices.Equal(f.t.UserFrames(p.Stack), f.t.UserFrames(e.Stack)) {
			break
		}
		seen[stepOf(p)] = true
		s.at, s.Last = 2*j, min(s.Last, f.passedBefore(p))
	}
	return s, true
}

// step is an operation of an instruction; one that calls into sync performs
// several.
type step struct {
	at  trace.StackID
	op  trace.Op
	obj trace.ObjID
}

func stepOf(e trace.Event) step { return step{e.Stack, e.Op, e.Obj} }

func (f *finder) stop(e trace.Event, fr trace.Frame) Stop {
	return Stop{File: fr.File, Line: fr.Line, Func: fr.Func, G: e.G, Goroutine: f.t.Goroutine(e.G).Display, Entry: wrapper.MatchString(fr.Func)}
}

// passedBefore is how many switch points the goroutine had passed before the
// operation of an event. An event's count includes the operation's own.
func (f *finder) passedBefore(e trace.Event) uint32 {
	switch e.Op {
	case trace.OpStart, trace.OpEnd, trace.OpSpawn, trace.OpUnblock, trace.OpTestFail, trace.OpPanic,
		trace.OpFatal, trace.OpExit, trace.OpPanicStart, trace.OpPending, trace.OpSyscall, trace.OpTimer, trace.OpTimerStop:
		return e.Count
	case trace.OpRead, trace.OpWrite, trace.OpReadRange, trace.OpWriteRange:
		if !f.hot[f.site(e.Stack)] {
			return e.Count
		}
	case trace.OpBlock:
		if trace.Op(e.Aux) == trace.OpNone {
			return e.Count
		}
	}
	return max(e.Count, 1) - 1
}

func (f *finder) site(id trace.StackID) string {
	if int(id) < len(f.t.Sites) {
		return f.t.Sites[id]
	}
	return ""
}

// wrapper is the name of a function that the compiler makes of a defer or go
// statement. Its only line is the statement's, which its caller has too.
var wrapper = regexp.MustCompile(`\.(deferwrap|gowrap)\d+$`)
