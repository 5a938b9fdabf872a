package reach

import (
	"path"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Comparison is what a run shows of a state.
type Comparison struct {
	Failure bool // it failed in the same way
	Same    int  // goroutines that stand where the state has them, of those compared
	Of      int
	Missing []Missing
	Extra   int // goroutines that wait, and that a complete state does not have
	Score   float64
}

// Missing are goroutines of a state that stand elsewhere in a run.
type Missing struct {
	At     dump.Frame // the innermost of the user's calls, or the go statement
	Reason string
	Count  int
}

// Match implements search.Aim.
func (g *Goal) Match(r *run.Result) search.Match {
	if g.state.Race != nil {
		for _, p := range r.Races {
			if g.MatchRace(p) {
				return search.Match{Level: search.SameState, Score: 1}
			}
		}
		return search.Match{}
	}
	c := g.Compare(r)
	m := search.Match{Score: c.Score}
	switch {
	case c.Failure && c.Same == c.Of && c.Extra == 0:
		m.Level = search.SameState
	case c.Failure && g.tellsFailure():
		m.Level = search.SameFailure
	}
	return m
}

// tellsFailure is true if the state's failure is more than that goroutines wait.
func (g *Goal) tellsFailure() bool {
	switch g.state.Kind {
	case dump.Panic, dump.Fatal, dump.TestFailure:
		return true
	}
	return false
}

// MatchRace implements search.Aim.
func (g *Goal) MatchRace(p run.RacePair) bool {
	a := g.accesses()
	if len(a) != 2 {
		return false
	}
	at := func(frames []dump.Frame, f trace.Frame) bool {
		if len(frames) == 0 {
			return f == (trace.Frame{})
		}
		return sameCall(frames[0], f)
	}
	return at(a[0], p.First) && at(a[1], p.Second) || at(a[0], p.Second) && at(a[1], p.First)
}

// Compare says what a run that was made with Spec.Stands shows of the state.
func (g *Goal) Compare(r *run.Result) Comparison {
	c := Comparison{Of: g.Compared()}
	used := make([]bool, len(r.Stands))
	score, failing := 0.0, true
	for _, w := range g.wants {
		n := w.take(r.Stands, used, w.count)
		c.Same += min(n, w.need)
		if w.failing && n == 0 {
			failing = false
		}
		if left := w.need - n; left > 0 {
			c.Missing = append(c.Missing, Missing{w.at(), w.reason, left})
			score += float64(min(n, w.need)) + float64(left)*w.nearest(r.Stands, used)
		} else {
			score += float64(w.need)
		}
	}
	c.Failure = failing && g.failedSo(r)
	c.Score = score
	if c.Failure {
		c.Score++
	}
	c.Score /= float64(c.Of + 1)
	if g.isWhole() {
		for i, s := range r.Stands {
			if !used[i] && !IsLoose(s.Reason) && (len(s.Frames) > 0 || s.Spawn != (trace.Frame{})) {
				c.Extra++
			}
		}
	}
	return c
}

// isWhole is true if a goroutine that waits and is not in the state is a difference.
func (g *Goal) isWhole() bool {
	s := g.state
	if s.Kind != dump.Deadlock || s.Left > 0 || s.Cut != "" {
		return false
	}
	for _, w := range g.wants {
		if w.count >= many {
			return false
		}
	}
	return true
}

// failedSo says whether a run failed as the state did, whoever waits where.
func (g *Goal) failedSo(r *run.Result) bool {
	if !r.Failed() {
		return false
	}
	switch kind := r.Outcome.Kind; g.state.Kind {
	case dump.Panic:
		return kind == trace.Panicked && sameMessage(g.state.Message, r.Outcome.Message)
	case dump.Fatal:
		return kind == trace.FatalError && sameMessage(g.state.Message, r.Outcome.Message)
	case dump.Deadlock:
		return kind == trace.Deadlocked
	case dump.TestFailure:
		return kind == trace.TestFailed && slices.ContainsFunc(g.state.Log, func(l dump.Logged) bool {
			return base(r.Place.File) == base(l.At.File) && (r.Place.Line == l.At.Line || sameMessage(l.Text, r.Outcome.Message))
		})
	}
	return true
}

// sameMessage compares what does not vary between equal failures.
func sameMessage(a, b string) bool {
	norm := func(s string) string {
		for _, lead := range []string{"panic: ", "fatal error: ", "runtime error: "} { // Go before 1.4 had the last one for all its own
			s = strings.TrimPrefix(s, lead)
		}
		return run.Normalize(s)
	}
	return norm(a) == norm(b)
}

// take marks up to n stands that are equal to the goroutine, and counts them.
func (w *want) take(stands []run.Stand, used []bool, n int) (took int) {
	for i := range stands {
		if took == n {
			break
		}
		if !used[i] && w.isAt(&stands[i]) {
			used[i] = true
			took++
		}
	}
	return took
}

func (w *want) isAt(s *run.Stand) bool {
	if w.failing != (s.Reason == run.Failing) || !w.failing && !sameReason(w.reason, s.Reason) {
		return false
	}
	if !w.calls(s.Frames) {
		return false
	}
	if len(w.frames) == 0 && w.created.Line > 0 { // code of the standard library alone
		return s.Spawn.Line == w.created.Line && sameFile(s.Spawn.File, w.created.File)
	}
	return true
}

// calls says whether calls are the goroutine's.
func (w *want) calls(frames []trace.Frame) bool {
	frames = visible(frames)
	if len(frames) < len(w.frames) || len(frames) > len(w.frames) && !w.elided {
		return false
	}
	for i, f := range w.frames {
		if !sameCall(f, frames[i]) {
			return false
		}
	}
	return true
}

// visible leaves out what dump.User does.
func visible(frames []trace.Frame) []trace.Frame {
	out := frames[:0:0]
	for _, f := range frames {
		if len(dump.User([]dump.Frame{{Func: f.Func, File: f.File, Line: f.Line}})) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// nearest is from 0 to 1: the larger, the nearer is the nearest of the others.
func (w *want) nearest(stands []run.Stand, used []bool) (best float64) {
	for i := range stands {
		if !used[i] {
			best = max(best, w.nearness(&stands[i]))
		}
	}
	return best
}

func (w *want) nearness(s *run.Stand) float64 {
	if len(w.frames) == 0 || len(s.Frames) == 0 {
		return 0
	}
	mine, its := w.frames[0], s.Frames[0]
	switch {
	case sameCall(mine, its) && sameReason(w.reason, s.Reason):
		return 0.8
	case sameCall(mine, its):
		return 0.6
	case sameFunc(mine.Func, its.Func):
		return 0.4
	case sameFunc(w.frames[len(w.frames)-1].Func, s.Frames[len(s.Frames)-1].Func):
		return 0.2
	}
	return 0
}

// at is the place to name: the innermost call, or else the go statement.
func (w *want) at() dump.Frame {
	if len(w.frames) > 0 {
		return w.frames[0]
	}
	return w.created
}

// sameCall compares a call of a state with one of a run.
func sameCall(f dump.Frame, at trace.Frame) bool {
	if f.Line == 0 {
		return sameFunc(f.Func, at.Func)
	}
	return f.Line == at.Line && sameFile(f.File, at.File)
}

func sameFunc(a, b string) bool {
	return image.DropTypeArgs(a) == image.DropTypeArgs(b)
}

// sameReason compares wait reasons. Earlier releases of Go have one for all of package
// sync, and formats without a reason any.
func sameReason(want, is string) bool {
	switch {
	case want == is || want == "":
		return !IsLoose(is)
	case want == "semacquire":
		return strings.HasPrefix(is, "sync.")
	case is == "semacquire":
		return strings.HasPrefix(want, "sync.")
	}
	return want == strings.TrimSuffix(is, " (nil chan)")
}

// endOf is a file with its folder alone: the rest differs from machine to machine.
func endOf(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}

// sameFile compares files by their ends. Of one that a //line comment names, programs
// have the name alone.
func sameFile(a, b string) bool {
	return endOf(a) == endOf(b) || base(a) == base(b) && (base(a) == a || base(b) == b)
}

func base(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }
