package postmortem

import (
	"path"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Point is the aligned point of a passing run.
type Point struct {
	Event int   // index in Trace.Events: the last operation before what the failing run did otherwise
	Calls int   // of the index that are the same there
	Nodes int   // of the index: calls and predicates
	Exact bool  // all of the index
	Of    int   // goroutines of the run that could be the failing one
	Same  int   // operations that are as near: the last one was taken
	At    Place // where that operation is
}

// Place is a line of a function.
type Place struct {
	Func string
	File string
	Line int
}

// align finds the operation that comes nearest to the end of an index: by calls, then by
// the predicates within the call where they end, then the last. false: no goroutine of
// the run begins as the failing one does.
func align(t *trace.Trace, x Index, created dump.Frame) (Point, bool) {
	best, bestScore, goroutines := Point{}, nearness{}, map[trace.GID]bool{}
	for i, e := range t.Events {
		frames := t.UserFrames(e.Stack)
		if len(frames) == 0 || !couldBe(t, e.G, frames, x, created) {
			continue
		}
		goroutines[e.G] = true
		score := nearnessOf(frames, x)
		switch {
		case score.less(bestScore):
			continue
		case bestScore.less(score):
			best.Same = 0
		}
		f := frames[0]
		bestScore = score
		best = Point{Event: i, Calls: score.calls, Nodes: score.nodes, Exact: score.exact, Same: best.Same + 1, At: Place{f.Func, f.File, f.Line}}
	}
	best.Of = len(goroutines)
	return best, bestScore.calls > 0 || bestScore.half > 0
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

func sameFunc(a, b string) bool { return image.DropTypeArgs(a) == image.DropTypeArgs(b) }

// sameFile compares files by their folder and name: the rest differs between machines.
func sameFile(a, b string) bool { return end(a) == end(b) }

func end(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
