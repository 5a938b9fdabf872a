package breakview

import (
	"strings"
	"testing"
)

func TestStatement(t *testing.T) {
	s := newSession(t)
	at := func(name string, line, column int) *Statement {
		t.Helper()
		st, err := StatementAt(s.file(name), s.root.Root(), line, column)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	first := at("a.go", 6, 4)
	if first.String() != `"x = 1" (a.go:6)` || first.Arg() != s.path("a.go")+":6:2" || first.Root != s.root.Root() {
		t.Errorf("%s, %s", first, first.Arg())
	}
	if !first.Same(at("a.go", 6, 99)) { // no statement is there: the line's first one
		t.Error("beyond the end of the line")
	}
	if first.Same(at("b.go", 4, 2)) {
		t.Error("another file")
	}
	if _, err := StatementAt(s.file("a.go"), s.root.Root(), 2, 1); err == nil {
		t.Error("a statement on an empty line")
	}
}

func TestPending(t *testing.T) {
	s := newSession(t)
	var p Pending
	if _, ok := p.In(s.docs.Snapshot()); ok {
		t.Error("there is none")
	}
	first, err := StatementAt(s.file("a.go"), s.root.Root(), 6, 2)
	if err != nil {
		t.Fatal(err)
	}
	p.Set(first)
	s.edit("a.go", "// new\n"+textA)
	moved, ok := p.In(s.docs.Snapshot())
	if !ok || moved.Line != 7 || first.Line != 6 {
		t.Errorf("%v", moved)
	}
	s.edit("a.go", strings.Replace(textA, "x = 1", "", 1))
	if _, ok := p.In(s.docs.Snapshot()); ok || p.Get() == nil {
		t.Error("deleted, it is in no text, and still pending")
	}
	second, err := StatementAt(s.file("b.go"), s.root.Root(), 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	p.Set(second)
	if p.Clear(first); p.Get() != second {
		t.Error("another one was set meanwhile")
	}
	if p.Clear(second); p.Get() != nil {
		t.Error("it is still pending")
	}
}

func TestHome(t *testing.T) {
	const dep, other = "/go/pkg/mod/x.y/z@v1.2.3", "/go/pkg/mod/x.y/q@v1.0.0"
	for _, c := range []struct {
		own     string
		pending *Statement
		open    []string
		want    string
	}{
		{"/m", &Statement{Root: "/n"}, []string{"/m", "/n"}, "/m"},
		{dep, &Statement{Root: "/n"}, []string{"/m", "/n"}, "/n"},
		{dep, nil, []string{dep, "/m", other}, "/m"},
		{dep, nil, []string{"/m", "/n", dep}, dep},
		{dep, nil, []string{dep}, dep},
		{"/a@b/m", nil, nil, "/a@b/m"},
	} {
		var p Pending
		p.Set(c.pending)
		if got := Home(c.own, &p, c.open); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
