package projection

import (
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
)

const pair = `package main

func (c *cfg) set() {
	c.a.Store(1)
	c.done.Store(1)
	c.b.Store(1)
}

func (c *cfg) get() {
	c.a.Load()
	c.done.Load()
}
`

// What was still to be done by whoever was told of last is no step "before" that.
func TestLateStepOfTheSameGoroutine(t *testing.T) {
	start := "main spawn set a.go:20\nmain spawn get a.go:21\nset start\nget start\n"
	p := ofCore(t, "a.go", pair, start+`
set store c.a=1 a.go:4
get load c.a=1 a.go:10
get load c.b=0 a.go:12
set store c.done=1 a.go:5
get load c.done=1 a.go:11
set store c.last=1 a.go:5
get panicstart a.go:12
outcome panic get "panic: half" a.go:12
`, start+`
get load c.a=0 a.go:10
get load c.done=0 a.go:11
set store c.a=1 a.go:4
set store c.done=1 a.go:5
set store c.last=1 a.go:5
set store c.b=1 a.go:6
get load c.b=1 a.go:12
`, cause.Literal{Before: 4, After: 5}, cause.Literal{Before: 8, After: 9}, cause.Literal{Before: 6, After: 9, Late: true})
	if !strings.Contains(p.Sentence, "and had yet to set `c.b` to 1 (6)") || strings.Contains(p.Sentence, "before `set`") {
		t.Errorf("%s", p.Sentence)
	}
	for did, want := range map[string]string{"wrote `x`": "write `x`", "called Done on `wg`": "call Done on `wg`", "closed `c`": "close `c`",
		"set `x` to 1": "set `x` to 1", "locked `mu`": "lock `mu`", "sent on `c`": "send on `c`"} {
		if got := toDo(did); got != want {
			t.Errorf("%s: %s, want %s", did, got, want)
		}
	}
}

// Rows of several files name theirs, and those of the places that they refer to.
func TestRowsOfSeveralFiles(t *testing.T) {
	p := ofCore(t, "a.go", pair, `
main spawn set a.go:20
set start
set store c.a=1 a.go:4
main load c.a=1 b.go:30:main.main
main panicstart b.go:31:main.main
outcome panic main "panic: early" b.go:31:main.main
`, `
main spawn set a.go:20
main load c.a=0 b.go:30:main.main
set start
set store c.a=1 a.go:4
`, cause.Literal{Before: 2, After: 3})
	text := p.Text()
	for _, want := range []string{"a.go:4 ", "b.go:30 ", "before b.go:30", "1 (from a.go:4)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestOrdinal(t *testing.T) {
	if got := ordinal(1) + ordinal(2) + ordinal(3) + ordinal(11) + ordinal(22); got != "1st2nd3rd11th22nd" {
		t.Error(got)
	}
}

// A passing run's trace has no plain accesses to what only one goroutine touches there: the
// step is not said to be missing.
func TestRowOfWhatIsNotShared(t *testing.T) {
	start := "main spawn w a.go:5\nw start\nw lock mu a.go:10\n"
	p, _ := plain(t, start+`
main write n=2 a.go:6
w write n=1 a.go:11
w unlock mu a.go:12
main read n=1 a.go:7
main panicstart a.go:7
outcome panic main "panic: two" a.go:7
`, start+"w unlock mu a.go:12\n")
	for _, r := range p.Rows {
		if want := map[int]string{11: "not shared", 6: "-"}[r.Line]; want != "" && r.Passing != want {
			t.Errorf("row %+v, want %s", r, want)
		}
	}
	if len(p.Rows) < 3 {
		t.Errorf("rows %+v", p.Rows)
	}
}

// A step under a condition was only done, unseen, if the passing run did something after it
// in the same block.
func TestRowUnderACondition(t *testing.T) {
	for name, c := range map[string]struct{ in, after, want string }{
		"left":  {"", "", "-"},
		"came":  {"w store s.done=1 a.go:7\n", "w store s.done=1 a.go:7\n", notShared},
		"other": {"w store s.done=1 a.go:7\n", "w store s.done=1 a.go:9\n", "-"},
	} {
		src := "package m\n\nfunc (s *s) w() {\n\ts.mu.Lock()\n\tif s.fast {\n\t\ts.n = 1\n\t\ts.done.Store(1)\n\t} else {\n\t\ts.done.Store(1)\n\t}\n\ts.mu.Unlock()\n}\n\nfunc main() {\n\ts.n = 2\n\tuse(s.n)\n}\n"
		start := "main spawn w a.go:20\nw start\nw lock s.mu a.go:4\n"
		p := program(t, src, start+"main write s.fast=1 a.go:21\nw read s.fast=1 a.go:5\nmain write s.n=2 a.go:15\nw write s.n=1 a.go:6\n"+c.in+"w unlock s.mu a.go:11\nmain read s.n=1 a.go:16\nmain panicstart a.go:16\noutcome panic main \"panic: two\" a.go:16\n",
			start+"w read s.fast=0 a.go:5\n"+c.after+"w unlock s.mu a.go:11\nmain write s.fast=1 a.go:21\n")
		if i := slices.IndexFunc(p.Rows, func(r Row) bool { return r.Line == 6 }); i < 0 || p.Rows[i].Passing != c.want {
			t.Errorf("%s: %+v, want %s", name, p.Rows, c.want)
		}
	}
}
