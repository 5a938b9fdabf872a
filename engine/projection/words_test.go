package projection

import (
	"os"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// program is a projection of runs of a program of one file, a.go. The races of the
// failing run are between the events of the given numbers.
func program(t *testing.T, src, fail, pass string, races ...[2]int) *Projection {
	t.Helper()
	fx := &fixture{files: map[string]string{"a.go": src}}
	read := func(p string) ([]byte, error) {
		if text, ok := fx.files[strings.TrimPrefix(p, dir)]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	opt := tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)}
	in := Input{Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(read), Fail: build(t, fail, opt)}
	if pass != "" {
		in.Pass = build(t, pass, opt)
	}
	for _, r := range races {
		side := func(i int) trace.Access {
			e, seq := in.Fail.Events[max(i, -i)], max(i, -1) // -i: where it was is not known
			return trace.Access{G: e.G, Write: e.Writes(), Stack: e.Stack, Seq: seq}
		}
		in.Fail.Races = append(in.Fail.Races, trace.Race{Obj: in.Fail.Events[r[1]].Obj, First: side(r[0]), Second: side(r[1])})
		in.Fail.Outcome = trace.Outcome{Kind: trace.Raced}
	}
	return Project(in)
}

func wantWords(t *testing.T, p *Projection, sentence, must string) {
	t.Helper()
	if p.Sentence != sentence {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, sentence)
	}
	if p.MustNot != must {
		t.Errorf("advice\n%s\nwant\n%s", p.MustNot, must)
	}
}

// What a dependency does is told at the line that called it, but where a test of the
// module drives the dependency.
func TestDependencyAtTheCaller(t *testing.T) {
	const dep = "x.com/list@v1.0.0/list.go:9:list.Push"
	run := func(user string) *Projection {
		tr := build(t, `
heap l.n list.n `+user+`:3
main spawn w `+user+`:5
w start
w write l.n=1 `+dep+` call `+user+`:20
main read l.n=1 `+dep+` call `+user+`:6
`, tracetest.Options{Dir: dir})
		e, f := tr.Events[2], tr.Events[3]
		tr.Races = []trace.Race{{Obj: e.Obj, First: trace.Access{G: e.G, Write: true, Stack: e.Stack, Seq: 2}, Second: trace.Access{G: f.G, Stack: f.Stack, Seq: 3}}}
		tr.Outcome = trace.Outcome{Kind: trace.Raced}
		return Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	}
	if got := lines(run("a.go")); len(got) != 2 || got[0] != 20 || got[1] != 6 {
		t.Errorf("lines %v, want 20 and 6", got)
	}
	if got := lines(run("a_test.go")); len(got) != 2 || got[0] != 9 || got[1] != 9 {
		t.Errorf("in a test of the dependency: lines %v, want 9 and 9", got)
	}
}

// The line that is given as the failure's is told of what failed there, although a small
// helper holds it.
func TestFailureInAHelperIsToldAtItsOwnLine(t *testing.T) {
	src := `package main

func (s *sub) offer(e int) bool {
	select {
	case s.C <- e:
		return true
	default:
		return false
	}
}

func publish(s *sub) {
	if s.offer(1) {
		n++
	}
}
`
	start := "main spawn publish a.go:30\npublish start\n"
	p := told(t, src, start+`
main close s.C=1/0 a.go:20
publish panicstart a.go:5 call a.go:13
outcome panic publish "panic: send on closed channel" a.go:5 call a.go:13
`, start+`
publish send s.C=1/0 a.go:5 call a.go:13
main close s.C=1/0 a.go:20
`)
	if want := "`publish` tried to send on `s.C` (line 5) after `main` had closed it (20)."; p.Sentence != want {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, want)
	}
}
