package reproduce

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints"
)

func planOf(t *testing.T, text string) breakpoints.Plan {
	t.Helper()
	p, err := breakpoints.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A step may wait for one that has only arrived, and itself waits for what
// comes later.
func TestSequence(t *testing.T) {
	for name, c := range map[string]struct{ plan, want string }{
		"chain":               {"step a / 1 1 b+;step b /1#1 2 1 c+;step c /1#2 3 1", "c b a"},
		"arrived":             {"step a / 1 1 c!;step b /1#1 2 1 a;step c /1#1 3 1", "b c a"},
		"passed":              {"step a / 1 1;step b /1#1 2 1 a+", "a b"},
		"roles keep order":    {"step a / 1 1 c;step b / 2 1;step c /1#1 3 1", "c a b"},
		"a circle is no plan": {"step a / 1 1 b!;step b /1#1 2 1 a!;step c /1#2 3 1", "c"},
	} {
		var got []string
		for _, s := range Sequence(planOf(t, c.plan)) {
			got = append(got, s.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestImpossible(t *testing.T) {
	f := Finding{Entry: "TestX", Statements: []Statement{
		{Place: Place{Text: "mu.Lock()"}, Points: []int{1}},
		{Place: Place{Text: "n++"}, Points: []int{2}},
		{Place: Place{Text: "go f()"}, Spawns: []int{1}},
	}}
	w := &words{plan: planOf(t, "step a / 1 1 b~;step b /1#1 2 1"), f: f, at: func(i int) string { return []string{"a.go:5", "a.go:7", "a.go:9"}[i] }}
	for _, c := range []struct {
		rep  breakpoints.Report
		want string
	}{
		{breakpoints.Report{Broken: "stuck a"}, "this order is no longer possible: the test waits at a.go:5: mu.Lock() until the goroutine started at a.go:9 is blocked in a.go:7: n++, which can't happen: nobody else could go on"},
		{breakpoints.Report{Broken: "timeout a"}, "this order is no longer possible: the test waits at a.go:5: mu.Lock() until the goroutine started at a.go:9 is blocked in a.go:7: n++, which did not happen in time"},
		{breakpoints.Report{Broken: "stuck end", Arrived: []string{"a"}}, "this order is no longer possible: the goroutine started at a.go:9 did not come to a.go:7: n++"},
	} {
		if got := w.impossible(c.rep); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.rep.Broken, got, c.want)
		}
	}
}
