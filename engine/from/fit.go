package from

import (
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/internal/words"
)

// fit leaves out of a state what the chosen entries can't show: goroutines of other
// tests and, where the stacks do not begin in an entry, the calls from which on no code
// of it comes. It says what it left out.
func (e *entry) fit(s *dump.State) (*dump.State, []string) {
	out := *s
	out.Goroutines = nil
	others, beyond := 0, 0
	for _, g := range s.Goroutines {
		switch {
		case !g.IsUser():
		case e.isOfAnother(&g):
			others += g.Count
			continue
		case e.reached != nil:
			var ok bool
			if g, ok = e.upTo(g); !ok {
				beyond += g.Count
				continue
			}
		}
		out.Goroutines = append(out.Goroutines, g)
	}
	var notes []string
	if others > 0 {
		notes = append(notes, words.Count(others, "goroutine")+" of other tests "+areOrIs(others)+" left out")
	}
	if beyond > 0 {
		notes = append(notes, words.Count(beyond, "goroutine")+" in code that what is searched does not reach "+areOrIs(beyond)+" left out")
	}
	if e.reached != nil {
		notes = append(notes, "calls are compared up to the code that what is searched reaches")
	}
	return &out, notes
}

func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func wasOrWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// isOfAnother is true of goroutines of a test that is not searched.
func (e *entry) isOfAnother(g *dump.Goroutine) bool {
	if len(e.tests) == 0 {
		return false
	}
	for _, f := range append(slices.Clone(g.Frames), g.Created) {
		if m := testName.FindStringSubmatch(strings.TrimPrefix(f.Func, f.Package()+".")); m != nil && strings.HasSuffix(f.File, "_test.go") {
			return !e.tests[m[1]]
		}
	}
	return false
}

// upTo cuts a goroutine's calls at the first that no entry leads to; false if nothing
// is left.
func (e *entry) upTo(g dump.Goroutine) (dump.Goroutine, bool) {
	left := 0
	for i, f := range g.Frames {
		if len(dump.User([]dump.Frame{f})) == 0 {
			continue
		}
		pkg := f.Package()
		if !e.reached[pkg+" "+declared(strings.TrimPrefix(f.Func, pkg+"."))] {
			if left == 0 {
				return g, false
			}
			g.Frames, g.Elided = g.Frames[:i:i], true
			return g, true
		}
		left++
	}
	return g, left > 0
}
