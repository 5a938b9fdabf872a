package reach

import (
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Goal is a state as runs are compared with it. It never changes.
type Goal struct {
	state *dump.State
	wants []want
	loose int        // goroutines of the user's that are not compared
	late  []run.Hold // where those were
}

// want stands for equal goroutines.
type want struct {
	frames  []dump.Frame // the user's, innermost first
	elided  bool         // there may be more at the end
	created dump.Frame
	reason  string // "" is any
	count   int
	need    int // of them
	failing bool
}

// many is from how many equal goroutines on one is enough: how many there are is
// decided by the load, which a test does not have.
const many = 17

// New makes a goal of a state whose places are those of today's sources; a line of 0
// is one that is not known any more.
func New(s *dump.State) *Goal {
	g := &Goal{state: s}
	for i := range s.Goroutines {
		d := &s.Goroutines[i]
		if !d.IsUser() {
			continue
		}
		if !d.Failing && IsLoose(d.Reason) {
			g.loose += d.Count
			g.addLate(d)
			continue
		}
		w := want{frames: dump.User(d.Frames), elided: d.Elided, created: d.Created, reason: d.Reason, count: d.Count, need: d.Count, failing: d.Failing}
		if w.count >= many {
			w.need = 1
		}
		g.wants = append(g.wants, w)
	}
	return g
}

// lateLines is how far from where a goroutine ran its next operation is looked for.
const lateLines = 8

// addLate notes where a goroutine ran or slept: that it had not come further may be what
// lets others wait.
func (g *Goal) addLate(d *dump.Goroutine) {
	for _, f := range dump.User(d.Frames) {
		if f.Line > 0 {
			l := run.HoldLine{Func: f.Func, File: f.File, Line: f.Line, To: f.Line + lateLines}
			if len(g.late) < 8 {
				g.late = append(g.late, run.Hold{Lines: []run.HoldLine{l}, Most: d.Count, Last: true})
			}
			return
		}
	}
}

// IsLoose is true of goroutines that did not wait for others.
func IsLoose(reason string) bool {
	switch reason {
	case "running", "runnable", "syscall", "sleep", "preempted", "copystack", "GC assist wait", "GC worker (active)", "trace reader (blocked)":
		return true
	}
	return false
}

// Compared is how many goroutines are compared: of very many equal ones, one.
func (g *Goal) Compared() (n int) {
	for _, w := range g.wants {
		n += w.need
	}
	return n
}

// Loose is how many goroutines of the user's are not compared since they did not wait.
func (g *Goal) Loose() int { return g.loose }

// Empty reports whether nothing is left to compare runs with.
func (g *Goal) Empty() bool {
	return len(g.wants) == 0 && g.state.Race == nil && g.state.Kind != dump.TestFailure && g.state.Message == ""
}

// Holds implements search.Aim: those who wait in the state are held before the
// operation in which they do; the sides of a race before their accesses; those who ran
// or slept near where they did, until all others have come as far as they can.
func (g *Goal) Holds() (out []run.Hold) {
	add := func(f dump.Frame, n int, lock bool) {
		if f.Line == 0 {
			return
		}
		l := run.HoldLine{Func: f.Func, File: f.File, Line: f.Line}
		if i := slices.IndexFunc(out, func(h run.Hold) bool { return h.Lines[0].Line == l.Line && h.Lines[0].File == l.File }); i >= 0 {
			out[i].Most += n
			return
		}
		out = append(out, run.Hold{Lines: []run.HoldLine{l}, Most: n, Lock: lock})
	}
	for _, w := range g.wants {
		if !w.failing && len(w.frames) > 0 {
			add(w.frames[0], w.count, strings.HasSuffix(w.reason, "Lock"))
		}
	}
	for _, a := range g.accesses() {
		if len(a) > 0 {
			add(a[0], 1, true)
		}
	}
	return append(out, g.late...)
}

// Ways implements search.Aim: the functions in which the failing goroutine is, or
// that race, then those that started it, then those of the others.
func (g *Goal) Ways() (out []run.Hold) {
	add := func(fn string) {
		if fn != "" && !slices.ContainsFunc(out, func(h run.Hold) bool { return h.Lines[0].Func == fn }) && len(out) < 12 {
			out = append(out, run.Hold{Lines: []run.HoldLine{{Func: fn}}, Most: 1})
		}
	}
	stacks := g.accesses()
	for _, w := range g.wants {
		if w.failing {
			stacks = append(stacks, w.frames)
		}
	}
	for _, frames := range stacks {
		for _, f := range frames {
			add(f.Func)
		}
	}
	for _, w := range g.wants {
		if w.failing {
			add(w.created.Func)
		}
	}
	for _, w := range g.wants {
		for _, f := range w.frames {
			add(f.Func)
		}
	}
	return out
}

// Hot implements search.Aim: the lines of a race, or of the failure.
func (g *Goal) Hot() (out []string) {
	lines := func(frames []dump.Frame, n int) {
		for _, f := range frames[:min(n, len(frames))] {
			if f.Line > 0 {
				out = append(out, site.OfLine(endOf(f.File), f.Line).String())
			}
		}
	}
	for _, a := range g.accesses() {
		lines(a, 1)
	}
	for _, w := range g.wants {
		if w.failing {
			lines(w.frames, 2)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// accesses are the user's calls at the sides of a race.
func (g *Goal) accesses() (out [][]dump.Frame) {
	if r := g.state.Race; r != nil {
		for _, a := range r.Accesses {
			out = append(out, dump.User(a.Frames))
		}
	}
	return out
}

// IsCompared reports whether runs are compared with goroutines of the state.
func (g *Goal) IsCompared(d *dump.Goroutine) bool {
	return d.IsUser() && (d.Failing || !IsLoose(d.Reason))
}

// Wants implements search.Aim.
func (g *Goal) Wants() (out []search.Want) {
	for _, w := range g.wants {
		if w.failing || len(w.frames) == 0 {
			continue
		}
		for range min(w.need, 8) {
			out = append(out, search.Want{At: w.calls})
		}
	}
	return out
}

// Near implements search.Aim: 1 is the innermost call of the failing goroutine or of an
// access; else it counts which share of the calls of some goroutine are the same.
func (g *Goal) Near(frames []trace.Frame) (best float64) {
	if len(frames) == 0 {
		return 0
	}
	for _, a := range g.accesses() {
		best = max(best, share(a, frames))
	}
	for i := range g.wants {
		w := &g.wants[i]
		n := share(w.frames, frames)
		if !w.failing {
			n *= 0.9
		}
		best = max(best, n)
	}
	return best
}

// share is which part of the calls of a state are calls of the same functions, from the
// outermost on; 1 only if the innermost is on the same line.
func share(want []dump.Frame, frames []trace.Frame) float64 {
	n := 0
	for n < min(len(want), len(frames)) && sameFunc(want[len(want)-1-n].Func, frames[len(frames)-1-n].Func) {
		n++
	}
	if len(want) == 0 {
		return 0
	}
	if n == len(want) && len(frames) == n && sameCall(want[0], frames[0]) {
		return 1
	}
	return 0.9 * float64(n) / float64(len(want))
}

// Fails implements search.Aim.
func (g *Goal) Fails() bool { return g.tellsFailure() }

// Unsure is true if the line of some call is not known today.
func (g *Goal) Unsure() bool {
	return slices.ContainsFunc(g.wants, func(w want) bool {
		return slices.ContainsFunc(w.frames, func(f dump.Frame) bool { return f.Line == 0 })
	})
}
