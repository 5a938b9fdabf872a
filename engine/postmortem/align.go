package postmortem

import (
	"path"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Point is the aligned point of a passing run.
type Point struct {
	Event  int   // index in Trace.Events: the last operation before what the failing run did otherwise
	Calls  int   // of the index that are the same there
	Nodes  int   // of the index: calls and predicates
	Exact  bool  // all of the index
	Of     int   // goroutines of the run that could be the failing one
	Same   int   // operations that are as near
	Rounds int   // loops around the failure in whose round it is, the outermost first
	Round  bool  // it is in the same round of all the loops around both
	At     Place // where that operation is
}

// Place is a line of a function.
type Place struct {
	Func string
	File string
	Line int
}

// alignment is all that come nearest to the end of an index.
type alignment struct {
	score  nearness
	events map[trace.GID][]int // in the order of the run
}

// align finds the operations that come nearest to the end of an index: by calls, then by
// the predicates within the call where they end. There are none if no goroutine of the
// run begins as the failing one does.
func align(t *trace.Trace, x Index, created dump.Frame) alignment {
	var could []int
	for i, e := range t.Events {
		if frames := visible(t.UserFrames(e.Stack)); len(frames) > 0 && couldBe(t, e.G, frames, x, created) {
			could = append(could, i)
		}
	}
	return nearest(t, x, could)
}

// nearest are those of some operations that come nearest to the end of an index.
func nearest(t *trace.Trace, x Index, events []int) alignment {
	best := alignment{}
	for _, i := range events {
		e := t.Events[i]
		score := nearnessOf(visible(t.UserFrames(e.Stack)), x)
		if score.less(best.score) {
			continue
		}
		if best.score.less(score) || best.events == nil {
			best = alignment{score, map[trace.GID][]int{}}
		}
		best.events[e.G] = append(best.events[e.G], i)
	}
	return best
}

// point is one of the operations.
func (a *alignment) point(t *trace.Trace, event int) Point {
	p := Point{Event: event, Calls: a.score.calls, Nodes: a.score.nodes, Exact: a.score.exact, Of: len(a.events)}
	for _, list := range a.events {
		p.Same += len(list)
	}
	if f := visible(t.UserFrames(t.Events[event].Stack)); len(f) > 0 {
		p.At = Place{f[0].Func, f[0].File, f[0].Line}
	}
	return p
}

// couldBe reports whether a goroutine begins as the failing one does.
func couldBe(t *trace.Trace, g trace.GID, frames []trace.Frame, x Index, created dump.Frame) bool {
	if len(x) == 0 || !sameFunc(frames[len(frames)-1].Func, x[0].Func) {
		return false
	}
	if created.Line == 0 || t.Goroutine(g).Parent == 0 {
		return true
	}
	spawn, ok := t.UserFrame(t.Goroutine(g).Spawn)
	return !ok || spawn.Line == created.Line && sameFile(spawn.File, created.File) || isStd(created)
}

// visible leaves out what dump.User does: the wrappers of go statements.
func visible(frames []trace.Frame) []trace.Frame {
	return slices.DeleteFunc(frames, func(f trace.Frame) bool { return isStd(dump.Frame{Func: f.Func, File: f.File, Line: f.Line}) })
}

func isStd(f dump.Frame) bool { return len(dump.User([]dump.Frame{f})) == 0 }

// nearness is how much of an index an operation matches, the more telling first.
type nearness struct {
	calls int
	half  int // 1 + predicates of the next call, doubled; one more at the condition of the next one
	nodes int
	exact bool
}

func (a nearness) less(b nearness) bool {
	if a.calls != b.calls {
		return a.calls < b.calls
	}
	return a.half < b.half
}

// nearnessOf compares an operation's calls, innermost first, with an index.
func nearnessOf(frames []trace.Frame, x Index) (n nearness) {
	for n.calls < min(len(frames), len(x)) {
		c, f := &x[n.calls], frames[len(frames)-1-n.calls]
		if !sameFunc(c.Func, f.Func) {
			return n
		}
		if f.Line != c.Line || !sameFile(f.File, c.File) {
			n.half = 1 + c.upTo(f.Line)
			n.nodes += c.passed(f.Line)
			return n
		}
		n.calls++
		n.nodes += 1 + len(c.Predicates)
	}
	n.exact = n.calls == len(x)
	return n
}

// upTo says how far along a call's predicates a line is: twice those whose way it has
// gone, one more if it is at the condition of the next one.
func (c *Call) upTo(line int) int {
	n := c.passed(line)
	if n < len(c.Predicates) {
		if p := c.Predicates[n]; p.Line <= line && line <= p.To {
			return 2*n + 1
		}
	}
	return 2 * n
}

// passed counts the predicates of a call whose way a line has gone.
func (c *Call) passed(line int) (n int) {
	for _, p := range c.Predicates {
		in := p.From <= line && line <= p.At && line > p.To
		after := line > p.At
		if p.Taken && !in || !p.Taken && !after {
			return n
		}
		n++
	}
	return n
}

// loop is a loop around the end of an index: a predicate of a call.
type loop struct{ call, predicate int }

// loopsOf are the loops of an index around what is as near to its end, the outermost
// first.
func loopsOf(x Index, to nearness) (out []loop) {
	for c := range x[:min(to.calls+1, len(x))] {
		for n, p := range x[c].Predicates {
			if c == to.calls && n >= (to.half-1)/2 {
				break
			}
			if p.Kind == "for" && p.Taken {
				out = append(out, loop{c, n})
			}
		}
	}
	return out
}

// around reports whether an operation's calls, innermost first, lie in the loop as those
// of the index do.
func (l loop) around(frames []trace.Frame, x Index) bool {
	if len(frames) <= l.call {
		return false
	}
	for i := range l.call + 1 {
		c, f := &x[i], frames[len(frames)-1-i]
		switch {
		case !sameFunc(c.Func, f.Func):
			return false
		case f.Line == c.Line && sameFile(f.File, c.File):
		case i < l.call:
			return false
		default:
			return sameFile(f.File, c.File) && c.passed(f.Line) > l.predicate
		}
	}
	return true
}

func sameFunc(a, b string) bool { return image.DropTypeArgs(a) == image.DropTypeArgs(b) }

// sameFile compares files by their folder and name: the rest differs between machines.
func sameFile(a, b string) bool { return end(a) == end(b) }

func end(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
