package projection

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// unclosed tells of a channel that nobody closed: who made it left the function that
// made it before the line that closes it. It reports whether that is so.
func (t *story) unclosed(w *waiter) bool {
	a := t.a
	if w.Op != trace.OpRecv || w.Obj == 0 {
		return false
	}
	st := a.userFrames(a.fail.stackOf(a.fail.Objects[w.Obj].Alloc))
	g := a.fail.maker(w.Obj)
	if len(st) == 0 || g == 0 || g == w.G {
		return false
	}
	made := st[0]
	name := a.object(a.waitEntry(w))
	fn := a.files.File(a.abs(made.File)).Func(made.Func, made.Line)
	for _, c := range fn.Closes(strings.Trim(name[strings.LastIndexByte(name, '.')+1:], "`")) {
		if c.Line <= made.Line {
			continue
		}
		ret, ok := a.leftBefore(g, made, c.Line)
		if !ok {
			continue
		}
		closing := a.lineOf(trace.Frame{Func: made.Func, File: made.File, Line: c.Line}, false)
		e := entry{r: a.fail, ev: -1, g: g, op: trace.OpEnd, stack: []trace.Frame{ret}, order: float64(w.seq) - 0.5, failing: "returns", passing: "-"}
		t.because(fmt.Sprintf("`%s`, which made it (%s), returned (%s) without `%s` (%s)", a.fail.gname(g),
			a.lineOf(made, false), a.at(e, false), c.Text, closing), e)
		t.must("`%s` (%s) must run on that way, too.", c.Text, closing)
		return true
	}
	return false
}

// maker is the goroutine that allocated an object, 0 if that is not known.
func (r *run) maker(obj trace.ObjID) trace.GID {
	name, ok := strings.CutPrefix(r.Objects[obj].Name, "alloc:")
	path, _, found := strings.Cut(name, ":")
	if !ok || !found {
		return 0
	}
	for i := range r.Goroutines {
		if r.Goroutines[i].Path == path {
			return trace.GID(i)
		}
	}
	return 0
}

// leftBefore is the line at which a goroutine returned from a function before it came to
// a line of it; made is what it had come to there.
func (a *analysis) leftBefore(g trace.GID, made trace.Frame, line int) (trace.Frame, bool) {
	for _, ev := range a.fail.byG[g] {
		st := a.userFrames(a.fail.stack(ev))
		for i, f := range st {
			if f.Func != made.Func || f.File != made.File || f.Line < made.Line {
				continue
			}
			ret := a.returnFrom(g, ev, i, line)
			return ret, ret.Line > 0 && ret.Line < line
		}
	}
	return trace.Frame{}, false
}
