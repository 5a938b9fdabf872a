package reproduce

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// edit applies edits to the one statement that begins with "/*here*/".
func edit(t *testing.T, src string, changed bool, edits ...Edit) (string, error) {
	t.Helper()
	const mark = "/*here*/"
	i := strings.Index(src, mark)
	src = strings.Replace(src, mark, "", 1)
	before := src[:i]
	line, col := strings.Count(before, "\n")+1, len(before)-strings.LastIndex(before, "\n")
	s, err := parseSource("/m/x.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.edit(Statement{Edits: edits}, line, col, changed); err != nil {
		return "", err
	}
	out := s.edited()
	if _, err := parser.ParseFile(token.NewFileSet(), "x.go", out, 0); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if n, m := strings.Count(out, "\n"), strings.Count(src, "\n"); n != m {
		t.Errorf("%d lines became %d:\n%s", m, n, out)
	}
	return strings.TrimPrefix(out, `package p; import hocketpoints_ "hocketpoints"`), nil
}

func TestEdit(t *testing.T) {
	whole := Edit{To: -1, Text: "A(); ", Rank: 10}
	for name, c := range map[string]struct {
		src   string
		edits []Edit
		want  string
	}{
		"before":            {"package p; func f() { /*here*/g() }", []Edit{whole}, "; func f() { A(); g() }"},
		"around":            {"package p; func f() { /*here*/go g() }", []Edit{{To: -1, Text: "S(); ", Then: "; B()", Rank: 20}, whole}, "; func f() { A(); S(); go g(); B() }"},
		"after":             {"package p; func f() { /*here*/defer g() }", []Edit{{To: -1, Then: "; defer A()"}}, "; func f() { defer g(); defer A() }"},
		"label":             {"package p; func f() { L: /*here*/for { break L } }", []Edit{whole}, "; func f() { A(); L: for { break L } }"},
		"operand":           {"package p; func f() { /*here*/if a && b() { c() } }", []Edit{{From: 3, To: 5, Text: "T() && (", Then: ")"}}, "; func f() { if a && T() && (b()) { c() } }"},
		"literals are kept": {"package p; func f() { /*here*/g(func() { x(); y() }, h(1)) }", []Edit{{From: 8, To: 11, Text: "V(", Then: ", 1)", Rank: 30}}, "; func f() { g(func() { x(); y() }, V(h(1), 1)) }"},
		"replace":           {"package p; func f() { /*here*/x++ }", []Edit{{Form: "replace", To: -1, Text: "{ v := x; A(); x = v + 1 }", Rank: 30}, whole}, "; func f() { A(); { v := x; A(); x = v + 1 } }"},
		"loop": {"package p; func f() { L: /*here*/for range ch { if a { continue }; for { continue; continue L }; func() { for { continue } }() } }", []Edit{{Form: "loop", To: -1, Text: "A()", Rank: 10}},
			"; func f() { A(); L: for range ch { if a { { A(); continue } }; for { continue; { A(); continue L } }; func() { for { continue } }() ; A() } }"},
		"select": {"package p; func f() { /*here*/select { case a <- 1: x(); case v := <-b: y(v); default: } }", []Edit{{Form: "select", To: -1, Text: "If(7, ", Case: "v := <-b", Rank: 30}, whole},
			"; func f() { A(); select { case v := <-If(7, b): /*line /m/x.go:1:64*/ y(v); ; default: /*line /m/x.go:1:23*/select { case a <- 1: x(); case v := <-b: y(v); default: } } }"},
		"two of a select": {"package p; func f() { /*here*/select { case a <- 1:; case <-b: } }", []Edit{{Form: "select", To: -1, Text: "If(7, ", Case: "<-b", Rank: 30}, {Form: "select", To: -1, Text: "If(8, ", Case: "a <- 1", Rank: 30}},
			"; func f() { select { case <-If(7, b): /*line /m/x.go:1:55*/ ; default: select { case If(8, a) <- 1: /*line /m/x.go:1:44*/; ; default: /*line /m/x.go:1:23*/select { case a <- 1:; case <-b: } } } }"},
		"case of a select": {"package p; func f() { select { case /*here*/ch <- g(): } }", []Edit{{From: 3, To: 5, Text: "V(", Then: ", 1)"}}, "; func f() { select { case ch <- V(g(), 1): } }"},
	} {
		got, err := edit(t, c.src, false, c.edits...)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

// A statement that reads differently gets only what goes around it.
func TestEditChanged(t *testing.T) {
	src := "package p; func f() { /*here*/g(1, h()) }"
	if _, err := edit(t, src, true, Edit{To: -1, Text: "A(); "}); err != nil {
		t.Error(err)
	}
	for name, e := range map[string]Edit{
		"inside":     {From: 4, To: 6, Text: "V(", Then: ", 1)"},
		"instead":    {Form: "replace", To: -1, Text: "C()"},
		"too far":    {From: 40, To: 41, Text: "V("},
		"no loop":    {Form: "loop", To: -1, Text: "A()"},
		"no select":  {Form: "select", To: -1, Text: "If(1, ", Case: "<-a"},
		"other case": {Form: "select", To: -1, Text: "If(1, ", Case: "<-a"},
	} {
		text := src
		if name == "other case" {
			text = "package p; func f() { /*here*/select { case <-b: } }"
		}
		if out, err := edit(t, text, true, e); err == nil {
			t.Errorf("%s: no error, but %s", name, out)
		}
	}
}
