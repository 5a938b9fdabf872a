package from

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/reach"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/internal/words"
)

// reachedBy words how much of a state a failing run shows.
func reachedBy(goal *reach.Goal, s *dump.State, r *run.Result, file string) *report.Reached {
	out := &report.Reached{File: file, Kind: string(s.Kind)}
	if s.Race != nil {
		out.Whole = goal.Match(r).Level == search.SameState
		out.Words = "another race than in " + file
		if out.Whole {
			out.Words = "the same two accesses as in " + file
		}
		return out
	}
	c := goal.Compare(r)
	out.Goroutines, out.Same = c.Of, c.Same
	out.Whole = goal.Match(r).Level == search.SameState
	switch {
	case out.Whole && c.Of == 0:
		out.Words = "the same failure as in " + file
	case out.Whole:
		out.Words = fmt.Sprintf("the same state as in %s: %d of %s", file, c.Same, words.Count(c.Of, "goroutine"))
	case c.Failure:
		out.Words = fmt.Sprintf("the same failure as in %s, in another state: %d of %s", file, c.Same, words.Count(c.Of, "goroutine"))
	default:
		out.Words = fmt.Sprintf("near the state in %s: %d of %s", file, c.Same, words.Count(c.Of, "goroutine"))
	}
	if c.Extra > 0 {
		out.Words += fmt.Sprintf(", and %d more wait", c.Extra)
	}
	if goal.Unsure() && c.Of > 0 {
		out.Words += "; where a line is not known today, the function was compared"
	}
	return out
}

// watch is a goal that remembers how near runs came.
type watch struct {
	*reach.Goal

	mu   sync.Mutex
	best *reach.Comparison
	seen bool // a run showed the whole state
}

// Match implements search.Aim.
func (w *watch) Match(r *run.Result) search.Match {
	m := w.Goal.Match(r)
	if m.Score > 0 && len(r.Stands) > 0 {
		c := w.Goal.Compare(r)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = w.seen || m.Level == search.SameState
		if w.best == nil || c.Score > w.best.Score {
			w.best = &c
		}
	}
	return m
}

func (w *watch) nearest(roots site.Roots) *Nearest {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.best
	if c == nil {
		return nil
	}
	n := &Nearest{Failure: c.Failure, Same: c.Same, Goroutines: c.Of, Extra: c.Extra, Whole: w.seen}
	var where []string
	for _, m := range c.Missing {
		st := standOf(m.At, roots)
		st.Reason, st.Count, st.Compared = m.Reason, m.Count, true
		n.Missing = append(n.Missing, st)
		where = append(where, st.words())
	}
	n.Words = fmt.Sprintf("%d of %s stood there", c.Same, words.Count(c.Of, "goroutine"))
	if !c.Failure {
		n.Words += ", but the run did not fail in that way"
	}
	if len(where) > 0 {
		n.Words += "; missing: " + strings.Join(where[:min(len(where), 4)], ", ")
	}
	if c.Extra > 0 {
		n.Words += fmt.Sprintf("; %d more waited", c.Extra)
	}
	return n
}

// words is "2 at a.go:3 (sync.Mutex.Lock)".
func (s Stand) words() string {
	where := s.File
	if s.Line > 0 {
		where += fmt.Sprintf(":%d", s.Line)
	}
	out := fmt.Sprintf("%d at %s", s.Count, where)
	if s.Reason != "" {
		out += " (" + s.Reason + ")"
	}
	return out
}
