package from

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/dump"
)

func test(fn string) dump.Frame { return dump.Frame{Func: fn, File: "/ci/m/a_test.go", Line: 9} }
func code(fn string) dump.Frame { return dump.Frame{Func: fn, File: "/ci/m/a.go", Line: 9} }

var runner = dump.Frame{Func: "testing.tRunner", File: "/go/src/testing/testing.go", Line: 1}

// TestCandidates: what a state's stacks begin with.
func TestCandidates(t *testing.T) {
	stack := func(frames ...dump.Frame) dump.Goroutine { return dump.Goroutine{Count: 1, Frames: frames} }
	by := func(g dump.Goroutine, created dump.Frame) dump.Goroutine { g.Created = created; return g }
	for _, c := range []struct {
		name  string
		state dump.State
		want  []string // package, test
	}{
		{"main", dump.State{Goroutines: []dump.Goroutine{stack(code("m.run")), stack(code("main.main"))}}, []string{"main "}},
		{"a test", dump.State{Goroutines: []dump.Goroutine{stack(code("m.run"), test("m.TestX"), runner)}}, []string{"m TestX"}},
		{"an external test", dump.State{Goroutines: []dump.Goroutine{stack(test("m_test.TestX.func1"))}}, []string{"m TestX"}},
		{"who started it", dump.State{Goroutines: []dump.Goroutine{by(stack(code("m.run")), test("m.TestX"))}}, []string{"m TestX"}},
		{"stacks before who started them", dump.State{Goroutines: []dump.Goroutine{by(stack(code("m.run")), test("m.TestY")), stack(test("m.TestX"))}}, []string{"m TestX", "m TestY"}},
		{"the running one of two", dump.State{Tests: []string{"TestX"}, Goroutines: []dump.Goroutine{by(stack(code("m.run")), test("m.TestY")), stack(test("m.TestX"))}}, []string{"m TestX"}},
		{"a subtest", dump.State{Tests: []string{"TestX", "TestX/a b"}, Goroutines: []dump.Goroutine{stack(test("m.TestX.func1"))}}, []string{"m TestX/a b"}},
		{"the log alone", dump.State{Package: "m", Tests: []string{"TestX"}}, []string{"m TestX"}},
		{"no test by its name", dump.State{Goroutines: []dump.Goroutine{stack(test("m.Testify")), stack(code("m.TestX"))}}, nil},
		{"a race", dump.State{Race: &dump.Race{Accesses: [2]dump.Access{{Frames: []dump.Frame{code("m.f")}, Created: []dump.Frame{test("m.TestX"), runner}}, {Frames: []dump.Frame{code("m.g")}}}}}, []string{"m TestX"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, x := range candidates(&c.state) {
				got = append(got, x.pkg+" "+x.test)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestDeclared(t *testing.T) {
	for name, want := range map[string]string{
		"f": "f", "f.func1": "f", "f.func1.2": "f", "f.gowrap1": "f", "(*T).run": "T.run", "T.run": "T.run",
		"(*T).run.func2": "T.run", "(*T[...]).run": "T.run", "Map[go.shape.int]": "Map", "T.run.func1": "T.run",
	} {
		if got := declared(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestFit: goroutines of other tests go, and calls that no entry leads to.
func TestFit(t *testing.T) {
	s := &dump.State{Goroutines: []dump.Goroutine{
		{Count: 1, Frames: []dump.Frame{code("m.take"), code("m.run")}, Created: test("m.TestX")},
		{Count: 3, Frames: []dump.Frame{code("m.run")}, Created: test("m.TestY.func1")},
		{Count: 1, Frames: []dump.Frame{code("m.take"), code("m/server.serve"), code("m.run")}},
		{Count: 1, Frames: []dump.Frame{code("m/server.serve"), code("m.take")}},
	}}
	e := &entry{tests: map[string]bool{"TestX": true}}
	got, notes := e.fit(s)
	if len(got.Goroutines) != 3 || len(notes) != 1 || !strings.HasPrefix(notes[0], "3 goroutines of other tests") {
		t.Errorf("%d goroutines, %q", len(got.Goroutines), notes)
	}
	e = &entry{reached: map[string]bool{"m take": true, "m run": true}}
	got, notes = e.fit(s)
	if len(got.Goroutines) != 3 || len(notes) != 2 || !strings.HasPrefix(notes[0], "1 goroutine in code") {
		t.Fatalf("%d goroutines, %q", len(got.Goroutines), notes)
	}
	if g := got.Goroutines[2]; len(g.Frames) != 1 || !g.Elided {
		t.Errorf("calls %v, elided %v", g.Frames, g.Elided)
	}
}

// TestChoose: a state that is whole comes before goroutines alone.
func TestChoose(t *testing.T) {
	states := []*dump.State{{Kind: dump.Goroutines}, {Kind: dump.Panic, Cut: "cut"}, {Kind: dump.DataRace}}
	for nth, want := range map[int]int{0: 2, 1: 0, 2: 1, 3: 2} {
		if got, err := choose(states, &Options{Nth: nth}); err != nil || got != want {
			t.Errorf("-nth %d: %d, %v", nth, got, err)
		}
	}
	if _, err := choose(states, &Options{Nth: 4, File: "ci.log"}); err == nil || !strings.Contains(err.Error(), "ci.log tells of 3") {
		t.Errorf("-nth 4: %v", err)
	}
}
