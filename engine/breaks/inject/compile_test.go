package inject

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/overlay"
	"golang.org/x/tools/txtar"
)

// module writes a txtar archive as a module of its own.
func module(t *testing.T, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sidesOf finds the marks "//@NAME" of a module's files: the statement that
// begins on the line is the side, or what begins with WORD in "//@NAME:WORD".
func sidesOf(t *testing.T, dir string) map[string]Side {
	t.Helper()
	sides := map[string]Side{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		src, err := os.ReadFile(name)
		for i, line := range strings.Split(string(src), "\n") {
			if _, marks, ok := strings.Cut(line, "//@"); ok {
				for mark := range strings.FieldsSeq(marks) {
					key, word, _ := strings.Cut(mark, ":")
					s := Side{File: name, Name: fmt.Sprintf("%s:%d", filepath.Base(name), i+1), Line: i + 1, Col: len(line) - len(strings.TrimLeft(line, "\t ")) + 1}
					if word != "" {
						s.Col = strings.Index(line, word) + 1
					}
					sides[key] = s
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sides
}

const conditions = `
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

import (
	"errors"
	"sync"
)

type Pool struct {
	mu    sync.Mutex
	items map[string]int
	n     int
	f     func()
	err   error
	c     chan int
}

type List[T comparable] struct{ v []T }

func (l *List[T]) Add(x T) {
	l.v = append(l.v, x) //@add
}

func (l *List[V]) Len(y V) int {
	return len(l.v) //@len
}

const Max, Half = 5, 2.5

var ErrBusy = errors.New("busy")

type Small int8

func (p *Pool) Get(key string, s Small, i64 int64, u uint) (_ int, ok bool) {
	n := p.items[key] //@get
	if p.n > Max { //@if
		q := &n
		_ = q //@inner
	}
	{
		p := "shadow"
		_ = p //@shadow
	}
	late := n //@late
	return late, true //@return
}

func (p *Pool) Drain(ch chan int) {
	for v := range ch { //@drain
		p.n += v
	}
	for i := range p.n { //@count
		_ = i
	}
	len := 3
	_ = len //@builtin
}

func (p *Pool) Wait(ready func() bool) {
	for i := 0; i < p.n && ready(); i++ { //@operand:ready
	}
}
func add[T int | float64](p *T, v T, l *List[T], all []T, anything any) {
	old := *p     //@sum
	*p = old + v
}

func half[U float32 | float64](p *U, v U, n **U, w map[string]U) {
	*p = v / 2 //@half
}
-- m_test.go --
package m

import "testing"

func TestX(t *testing.T) {
	p := &Pool{}
	p.Get("x", 1, 2, 3) //@test
}
-- x_test.go --
package m_test

import (
	"testing"

	"example.com/m"
	"example.com/m/sub"
)

func TestY(t *testing.T) {
	p := &m.Pool{}
	p.Get("x", 1, 2, 3) //@xtest
	sub.Use(p)
}
-- sub/sub.go --
package sub

import "example.com/m"

func Use(pool *m.Pool) {
	pool.Drain(nil) //@sub
}
`

// What a condition becomes, or what is said about it.
func TestConditions(t *testing.T) {
	dir := module(t, conditions)
	sides := sidesOf(t, dir)
	sc := Scope{Dir: dir}
	for _, c := range []struct{ at, text, want string }{
		{"get late", "", "true"},
		{"get late", "t1.p == t2.p", "$1.0 == $2.0; 1: p; 2: p"},
		{"get late", "t1.p == t2.p && t1.key != \"\" && t2.n > 3", "$1.0 == $2.0; 1 if key != \"\"; 1: p; 2 if n > 3; 2: p"},
		{"get late", "(t1.p == t2.p) && (t1.n > 0)", `condition "(t1.p == t2.p) && (t1.n > 0)", column 20: t1.n: no variable n at m.go:34; it is declared later; there are: i64, key, ok, p, s, u`},
		{"get late", "len(t1.key) < t2.n + t2.Max", "$1.0 < $2.0; 1: len(key); 2: n + Max"},
		{"get late", "t1.s == t2.Max", "$1.0 == 5; 1: s"},
		{"get late", "t1.i64 == t2.Half*2", "$1.0 == 5; 1: i64"},
		{"get late", "t1.i64 == t2.i64*2 || !(t1.ok || t2.ok)", "($1.0 == $2.0) || !($1.1 || $2.1); 1: i64, ok; 2: i64*2, ok"},
		{"get late", "t1.p.items[t1.key] == t2.p.items[t2.key]", "$1.0 == $2.0; 1: p.items[key]; 2: p.items[key]"},
		{"get late", "t1.p == t1.p", "1 if p == p"},
		{"get late", "t1.p.err == t1.ErrBusy && t2.p.err == nil", "1 if p.err == ErrBusy; 2 if p.err == nil"},
		{"get late", "int(t1.s) == t2.n", "$1.0 == $2.0; 1: int(s); 2: n"},
		{"get late", "t1.Small(t1.i64) == t2.s", "$1.0 == $2.0; 1: Small(i64); 2: s"},
		{"get late", "len([]byte(t1.key)) == 3", "1 if len([]byte(key)) == 3"},
		{"get late", "-t1.n < 3", `condition "-t1.n < 3", column 2: t1.n: no variable n at m.go:34; it is declared later; there are: i64, key, ok, p, s, u`},
		{"get late", "t1.p == t2.q", `condition "t1.p == t2.q", column 9: t2.q: no variable q at m.go:43; there are: i64, key, n, ok, p, s, u`},
		{"get inner", "t2.q != nil && *t2.q == 3", "2 if q != nil; 2 if *q == 3"},
		{"get shadow", "t1.p == t2.p", `condition "t1.p == t2.p", column 1: t1.p == t2.p: (mismatched types *m.Pool and string)`},
		{"get late", "t1.s == t2.i64", `condition "t1.s == t2.i64", column 1: t1.s == t2.i64: (mismatched types m.Small and int64)`},
		{"get late", "t1.s == 300 && t2.n == 1", `condition "t1.s == 300 && t2.n == 1", column 9: 300: (untyped int constant) overflows int8 at m.go:34`},
		{"get late", "t1.p.items == t2.p.items", `condition "t1.p.items == t2.p.items", column 1: t1.p.items == t2.p.items: (map can only be compared to nil)`},
		{"get late", "t1.p.f == t2.p.f", `condition "t1.p.f == t2.p.f", column 1: t1.p.f == t2.p.f: (func can only be compared to nil)`},
		{"get late", "t1.p.mu.TryLock()", `condition "t1.p.mu.TryLock()", column 1: t1.p.mu.TryLock(): calls are not allowed, since they may change the program; of functions, len, cap, min, max, real, imag and conversions are allowed`},
		{"get late", "t1.errors.New(t1.key) == nil", `condition "t1.errors.New(t1.key) == nil", column 1: t1.errors.New(t1.key): calls are not allowed, since they may change the program; of functions, len, cap, min, max, real, imag and conversions are allowed`},
		{"get late", "<-t1.p.c == 3", `condition "<-t1.p.c == 3", column 1: <-t1.p.c: a receive would change the program; compare the channel itself, or its len`},
		{"get late", "&t1.p.n == nil", `condition "&t1.p.n == nil", column 1: &t1.p.n: taking an address may move the variable to the heap, and the program would be another; compare pointers that it has`},
		{"get late", "func() bool { return true }()", `condition "func() bool { return true }()", column 1: func() bool { return true }(): calls are not allowed, since they may change the program; of functions, len, cap, min, max, real, imag and conversions are allowed`},
		{"get late", "t1.p.n + t2.n", `condition "t1.p.n + t2.n", column 1: t1.p.n + t2.n: is int, and a condition must be true or false`},
		{"get late", "t1.key", `condition "t1.key", column 1: t1.key: is string, and a condition must be true or false`},
		{"get late", "t1.p.zz == t2.n", `condition "t1.p.zz == t2.n", column 6: zz: p.zz undefined (type *Pool has no field or method zz) at m.go:34`},
		{"get late", "t1.key ==", `condition "t1.key ==", column 10: end of the condition: not a Go expression: expected operand, found 'EOF'`},
		{"get late", "t1.n = 3", `condition "t1.n = 3", column 6: = 3: an assignment would change the program; compare with ==, !=, <, <=, > or >=`},
		{"get late", "t1.n++", `condition "t1.n++", column 5: ++: an assignment would change the program; compare with ==, !=, <, <=, > or >=`},
		{"get late", "t1.n-- > 2", `condition "t1.n-- > 2", column 5: -- > 2: an assignment would change the program; compare with ==, !=, <, <=, > or >=`},
		{"get late", "t1.n += 2", `condition "t1.n += 2", column 6: += 2: an assignment would change the program; compare with ==, !=, <, <=, > or >=`},
		{"get late", "t1.n := t2.n", `condition "t1.n := t2.n", column 6: := t2.n: an assignment would change the program; compare with ==, !=, <, <=, > or >=`},
		{"get late", "t1.n <<= 1", `condition "t1.n <<= 1", column 6: <<= 1: an assignment would change the program; compare with ==, !=, <, <=, > or >=`},
		{"get late", "t1.n == 1; true", `condition "t1.n == 1; true", column 10: ; true: not a Go expression: expected 'EOF', found ';'`},
		{"get late", "t1.key == x", `condition "t1.key == x", column 11: x: of which side? write t1.x or t2.x`},
		{"get late", "p == t2.p", `condition "p == t2.p", column 1: p: of which side? write t1.p or t2.p`},
		{"get late", "t3.p == t2.p", `condition "t3.p == t2.p", column 1: t3.p: there is no side 3, the breakpoint has 2`},
		{"get late", "t1 == t2", `condition "t1 == t2", column 1: t1: names side 1; write t1.x for its variable x`},
		{"get late", "min(t1.i64, t2.i64) == 3", `condition "min(t1.i64, t2.i64) == 3", column 1: min(t1.i64, t2.i64): mixes sides; values of several sides can be compared and computed with, each other part must refer to one side only`},
		{"get late", "t1.u % t2.u == 3", `condition "t1.u % t2.u == 3", column 1: t1.u % t2.u: values of several sides can be compared, added, subtracted, multiplied and divided; % is not allowed`},
		{"add len", "t1.l == t2.l", "$1.0 == $2.0; 1: l; 2: l"},
		{"add add", "t1.x == t2.x && t1.l == t2.l", "($1.0 == $2.0) && ($1.1 == $2.1); 1: x, l; 2: x, l"},
		{"add len", "len(t1.l.v) == len(t2.l.v)", "$1.0 == $2.0; 1: len(l.v); 2: len(l.v)"},
		{"xtest sub", "t1.p == t2.pool && t1.m.Max == 5", "$1.0 == $2.0; 1 if m.Max == 5; 1: p; 2: pool"},
		{"test get", "t1.p == t2.p", "$1.0 == $2.0; 1: p; 2: p"},
		{"drain count", "t1.p == t2.p", "$1.0 == $2.0; 1: p; each 1; 2: p"},
		{"drain count", "", "each 1"},
		{"drain count", "t1.v == 3", `condition "t1.v == 3", column 1: t1.v: no variable v at m.go:48; it is declared later; there are: ch, p`},
		{"builtin get", "t1.len == 3", "1 if len == 3"},
		{"operand get", "t1.i == 3", "1 if i == 3"},
		{"sum sum", "t1.p == t2.p && t1.v == t2.v", "($1.0 == $2.0) && ($1.1 == $2.1); 1: p, v; 2: p, v"},
		{"sum sum", "t1.p == t2.v", `condition "t1.p == t2.v", column 1: t1.p == t2.v: compares *T with T, which are never the same type`},
		{"sum sum", "t1.v > 0 && (t1.ok2 || t2.v == t1.p)", `condition "t1.v > 0 && (t1.ok2 || t2.v == t1.p)", column 14: t1.ok2: no variable ok2 at m.go:63; there are: all, anything, l, p, v`},
		{"sum sum", "t1.v > 0 && (t1.v == 3 || t2.v == t1.p)", `condition "t1.v > 0 && (t1.v == 3 || t2.v == t1.p)", column 27: t2.v == t1.p: compares T with *T, which are never the same type`},
		{"sum sum", "t1.l == t2.p", `condition "t1.l == t2.p", column 1: t1.l == t2.p: compares *m.List[T] with *T, which are never the same type`},
		{"sum sum", "t1.p == t2.anything", "$1.0 == $2.0; 1: p; 2: anything"},
		{"sum half", "t1.p == t2.p", "$1.0 == $2.0; 1: p; 2: p"},
		{"sum half", "t1.p == t2.n", "$1.0 == $2.0; 1: p; 2: n"},
		{"sum get", "t1.p == t2.s", `condition "t1.p == t2.s", column 1: t1.p == t2.s: compares *T with m.Small, which are never the same type`},
		{"sum get", "t1.l != nil && t1.p != t2.p.items", `condition "t1.l != nil && t1.p != t2.p.items", column 16: t1.p != t2.p.items: (map can only be compared to nil)`},
		{"sum half", "t1.l == nil || t2.w == nil", "$1.0 || $2.0; 1: l == nil; 2: w == nil"},
		{"sum sum", "t1.v / 0 == 1", `condition "t1.v / 0 == 1", column 8: 0: division by zero`},
		{"sum sum", "t1.v / 0 == t2.v", `condition "t1.v / 0 == t2.v", column 8: 0: division by zero`},
		{"get late", "t1.u / 0 == 1", `condition "t1.u / 0 == 1", column 8: 0: division by zero at m.go:34`},
		{"half half", "t1.v / 0 == t2.v", "$1.0 == $2.0; 1: v / 0; 2: v"},
	} {
		t.Run(c.at+" "+c.text, func(t *testing.T) {
			var at []Side
			for name := range strings.FieldsSeq(c.at) {
				s, ok := sides[name]
				if !ok {
					t.Fatalf("no mark %s", name)
				}
				at = append(at, s)
			}
			cond, err := Compile(t.Context(), sc, at, c.text)
			got := describe(cond)
			var ce *Error
			if err != nil {
				got = err.Error()
				if errors.As(err, &ce) && !strings.HasPrefix(c.text[min(ce.Column-1, len(c.text)):]+"end of the condition", ce.Expr) {
					t.Errorf("column %d is not where %q begins", ce.Column, ce.Expr)
				}
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func describe(c *Condition) string {
	if c == nil {
		return ""
	}
	plain := func(s string) string {
		if len(s) > 1 && s[0] == '(' && matching(s) {
			return s[1 : len(s)-1]
		}
		return s
	}
	var parts []string
	if c.Joint != "" {
		parts = append(parts, plain(c.Joint))
	}
	for i := range c.Locals {
		if c.Locals[i] != "" {
			for l := range strings.SplitSeq(c.Locals[i], " && ") {
				parts = append(parts, fmt.Sprintf("%d if %s", i+1, plain(l)))
			}
		}
		var values []string
		for _, v := range c.Values[i] {
			values = append(values, plain(v))
		}
		if len(values) > 0 {
			parts = append(parts, fmt.Sprintf("%d: %s", i+1, strings.Join(values, ", ")))
		}
		if c.Each[i] {
			parts = append(parts, fmt.Sprintf("each %d", i+1))
		}
	}
	if len(parts) == 0 {
		return "true"
	}
	return strings.Join(parts, "; ")
}

// matching says that the first parenthesis of s is closed by the last.
func matching(s string) bool {
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// Conditions are checked in the texts of the overlay, and in files of other
// packages than the first.
func TestConditionsOfUnsavedText(t *testing.T) {
	dir := module(t, conditions)
	sides := sidesOf(t, dir)
	file := filepath.Join(dir, "m.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(t.TempDir(), "m.go")
	if err := os.WriteFile(edited, []byte(strings.ReplaceAll(string(text), "key", "name")), 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := overlay.Keep(t.TempDir(), map[string]string{file: edited})
	if err != nil {
		t.Fatal(err)
	}
	at := []Side{sides["get"], sides["late"]}
	if err := CheckCondition(t.Context(), Scope{Dir: dir, Overlay: o}, at, "t1.name == t2.name"); err != nil {
		t.Error(err)
	}
	if err := CheckCondition(t.Context(), Scope{Dir: dir}, at, "t1.name == t2.name"); err == nil {
		t.Error("the disk has no such variable")
	}
}
