package breaks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/breaks/inject"
)

// TestMissedWords: what is said of runs without a hit follows from what
// happened in those runs.
func TestMissedWords(t *testing.T) {
	hit := breakpoints.Stat{Hit: 1, Reached: []int{1, 1}, Postponed: []int{0, 1}}
	alone := breakpoints.Stat{Reached: []int{0, 1}, Postponed: []int{0, 1}, Released: []int{0, 1}}
	locked := breakpoints.Stat{Reached: []int{1, 1}, Postponed: []int{1, 1}, Released: []int{0, 1}, Held: []string{"side 2 held sync.Mutex"}}
	late := breakpoints.Stat{Reached: []int{1, 1}, Postponed: []int{0, 1}, TimedOut: []int{0, 1}}
	passed := breakpoints.Stat{Reached: []int{1, 0}}
	none := breakpoints.Stat{Reached: []int{0, 0}}
	single := breakpoints.Stat{Reached: []int{1, 1}}
	many := func(n int, s breakpoints.Stat) []breakpoints.Stat { return slices.Repeat([]breakpoints.Stat{s}, n) }
	const (
		timeOut = "a longer one may help"
		earlier = "side 1 (f.go:94) was not reached in 94 of 100 runs while side 2 waited: its goroutine took another path, or waits for what side 2 has or holds: set side 2 earlier, before it takes or changes that"
	)
	for name, c := range map[string]struct {
		runs      []breakpoints.Stat
		condition string
		want, not string // parts
	}{
		"always hit":         {runs: many(3, hit), not: "hit"},
		"went elsewhere":     {runs: slices.Concat(many(6, hit), many(94, alone)), want: "not hit in 94 of 100 runs: " + earlier, not: "help"},
		"a few were late":    {runs: slices.Concat(many(6, hit), many(90, alone), many(4, late)), want: "was not reached in 90 of 100 runs while side 2 waited", not: "help"},
		"never there":        {runs: many(5, alone), want: "never hit: side 1 (f.go:94) was never reached while side 2 waited", not: "help"},
		"nobody waited":      {runs: many(5, passed), want: "side 2 (g.go:7) was never reached", not: "waited"},
		"no side":            {runs: many(5, none), want: "no side was ever reached"},
		"mostly no side":     {runs: slices.Concat(many(2, hit), many(5, none)), want: "not hit in 5 of 7 runs: in 5 of them no side was reached"},
		"no report":          {runs: many(2, breakpoints.Stat{}), want: "no side was ever reached"},
		"let go":             {runs: slices.Concat(many(2, hit), many(5, locked)), want: "in 5 runs the waiting goroutine was released early, since no other could run (the lines below say what was held)", not: "help"},
		"timed out":          {runs: slices.Concat(many(2, hit), many(5, late)), want: "in 5 runs a goroutine waited for the whole timeout: " + timeOut},
		"one goroutine":      {runs: many(2, single), want: "but by one goroutine only", not: timeOut},
		"local part":         {runs: many(2, single), condition: "t1.x > 0 && t2.x > 0", want: "no goroutine waited: the part of t1.x > 0 && t2.x > 0 about one side was never true"},
		"condition":          {runs: many(2, locked), condition: "t1.p == t2.p", want: "t1.p == t2.p was never true for two goroutines at once; in 2 runs the waiting goroutine was released", not: "help"},
		"condition at times": {runs: slices.Concat(many(2, hit), many(2, late)), condition: "t1.p == t2.p", want: "or t1.p == t2.p was not true; in 2 runs"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &runner{prog: &program{Program: &inject.Program{Breakpoints: []inject.Numbered{{Breakpoint: inject.Breakpoint{ID: "b1"}, Number: 1}}}}}
			for i := range c.runs {
				r.runs = append(r.runs, &inject.Result{Report: breakpoints.Report{Breaks: map[int]*breakpoints.Stat{1: &c.runs[i]}}})
			}
			b := &Break{Breakpoint: &breakfile.Breakpoint{ID: "b1", If: c.condition}, Sides: []Side{placed("f.go", 94), placed("g.go", 7)}}
			got := strings.Join(r.stat(b).Notes, "\n")
			if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%q\nwant %q\nnot  %q", got, c.want, c.not)
			}
		})
	}
}

// TestLastCountsItsOwn: of other breakpoints' failures, and of programs that a
// breakpoint is not in, nothing is kept with it.
func TestLastCountsItsOwn(t *testing.T) {
	r := &runner{prog: &program{Program: &inject.Program{Breakpoints: []inject.Numbered{
		{Breakpoint: inject.Breakpoint{ID: "b1"}, Number: 1}, {Breakpoint: inject.Breakpoint{ID: "b2"}, Number: 2},
		{Breakpoint: inject.Breakpoint{ID: "b3"}, Number: 3, Lost: "not in this program", Outside: "x"}}}}}
	for i := range 4 {
		res := &inject.Result{Report: breakpoints.Report{Breaks: map[int]*breakpoints.Stat{1: {Hit: 1}, 2: {Hit: i % 2}}}}
		if i < 3 {
			res.Failure = "panic: x"
		}
		r.runs = append(r.runs, res)
	}
	last := r.last()
	if b := last["b1"]; b == nil || b.Runs != 4 || b.Hits != 4 || b.Failed != 3 {
		t.Errorf("b1: %+v", b)
	}
	if b := last["b2"]; b == nil || b.Runs != 4 || b.Hits != 2 || b.Failed != 1 {
		t.Errorf("b2: %+v", b)
	}
	if b := last["b3"]; b != nil {
		t.Errorf("b3: %+v", b)
	}
}

func placed(file string, line int) Side {
	return Side{Place: breakfile.Place{File: file, Line: line}, Location: breakfile.Location{Line: line}}
}

// TestHeldByAnother: breakpoints that hold each other's goroutines say so, and
// no longer timeout is advised.
func TestHeldByAnother(t *testing.T) {
	side := func(line int) inject.Side {
		return inject.Side{File: "f.go", Name: fmt.Sprintf("f.go:%d", line), Line: line}
	}
	late := &breakpoints.Stat{Reached: []int{1, 1}, Postponed: []int{1, 1}, TimedOut: []int{1, 0}}
	hit := &breakpoints.Stat{Hit: 1, Reached: []int{1, 1}, Postponed: []int{1, 0}}
	for name, c := range map[string]struct {
		line int // of the other's side 2
		of   *breakpoints.Stat
		want string
	}{
		"shared":  {94, hit, "f.go:94 is also side 2 of b5, and a goroutine that is held at one comes late to the other; run it alone with -id b7"},
		"other":   {50, hit, "in those runs b5 also held goroutines"},
		"nothing": {94, &breakpoints.Stat{Reached: []int{1, 1}, Postponed: []int{0, 0}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &runner{prog: &program{Program: &inject.Program{Breakpoints: []inject.Numbered{
				{Breakpoint: inject.Breakpoint{ID: "b5", Sides: []inject.Side{side(1), side(c.line)}}, Number: 1},
				{Breakpoint: inject.Breakpoint{ID: "b7", Sides: []inject.Side{side(94), side(105)}}, Number: 2}}}}}
			for range 3 {
				r.runs = append(r.runs, &inject.Result{Report: breakpoints.Report{Breaks: map[int]*breakpoints.Stat{1: c.of, 2: late}}})
			}
			b := &Break{Breakpoint: &breakfile.Breakpoint{ID: "b7"}, Sides: []Side{placed("f.go", 94), placed("f.go", 105)}}
			got := strings.Join(r.stat(b).Notes, "\n")
			if !strings.Contains(got, c.want) || strings.Contains(got, "run it alone") != (c.want != "") || strings.Contains(got, "may help") != (c.want == "") {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}
