package projection

import (
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

const tally = `package main

func (c *tally) at() *int { return &c.n }

func (c *tally) hit() {
	*c.at()++
}

func work(c *tally) {
	c.hit()
}
`

const tallyRuns = "main spawn work a.go:20\nmain spawn work#2 a.go:20\nwork start\nwork#2 start\n"

// Both halves of a statement are told where what another goroutine did in between is,
// at the line of the statement, even in a small helper: each order is about another half.
func TestTornStatement(t *testing.T) {
	at := " a.go:6:main.(*tally).hit call a.go:10\n"
	end := "main read c.n=1 a.go:22\nmain panicstart a.go:23\noutcome panic main \"panic: lost\" a.go:23\n"
	read, write := cause.Literal{Before: 4, After: 6}, cause.Literal{Before: 6, After: 7}
	crossed := []cause.Literal{{Before: 4, After: 7}, {Before: 5, After: 6}}
	for _, c := range []struct {
		name, run string
		core      []cause.Literal
		ops       string
		want      []report.Order
	}{
		{"a write in between", "work read c.n=0" + at + "work#2 read c.n=0" + at + "work#2 write c.n=1" + at + "work write c.n=1" + at,
			[]cause.Literal{read, write}, "read write write", []report.Order{{Before: 0, After: 1}, {Before: 1, After: 2}}},
		{"by atomics", "work load c.n=0" + at + "work#2 load c.n=0" + at + "work#2 store c.n=1" + at + "work store c.n=1" + at,
			[]cause.Literal{read, write}, "load store store", []report.Order{{Before: 0, After: 1}, {Before: 1, After: 2}}},
		{"of a map", "work mapread c.n=0" + at + "work#2 mapread c.n=0" + at + "work#2 mapwrite c.n=1" + at + "work mapwrite c.n=1" + at,
			[]cause.Literal{read, write}, "read write write", []report.Order{{Before: 0, After: 1}, {Before: 1, After: 2}}},
		{"crossed", "work read c.n=0" + at + "work#2 read c.n=0" + at + "work write c.n=1" + at + "work#2 write c.n=1" + at,
			crossed, "read write write", []report.Order{{Before: 0, After: 1}, {Before: 1, After: 2}}}, // which imply the two
	} {
		p := ofCore(t, "a.go", tally, tallyRuns+c.run+end, "", c.core...)
		var ops []string
		for _, a := range p.RootCause {
			ops = append(ops, a.Op)
		}
		if got := strings.Join(ops, " "); got != c.ops || !slices.Equal(p.Cause.Orders, c.want) || p.Cause.Note != "" {
			t.Errorf("%s: steps %q, orders %+v (%s), want %q, %+v", c.name, got, p.Cause.Orders, p.Cause.Note, c.ops, c.want)
		}
		if !strings.Contains(p.Sentence, "(line 6)") || strings.Contains(p.Sentence, "10") {
			t.Errorf("%s: %s", c.name, p.Sentence)
		}
	}
}

// A statement that nobody came in between is one step; rounds of a loop are one, unless
// what another goroutine did in between belongs to the cause.
func TestWholeStatementsAndRounds(t *testing.T) {
	p := ofCore(t, "a.go", tally, tallyRuns+`
work write c.n=5 a.go:10
work#2 read c.n=5 a.go:6
work#2 write c.n=6 a.go:6
work#2 panicstart a.go:9
outcome panic work#2 "panic: full" a.go:9
`, "", cause.Literal{Before: 4, After: 5})
	if len(p.RootCause) != 2 || !slices.Equal(p.Cause.Orders, []report.Order{{Before: 0, After: 1}}) {
		t.Errorf("x++: %+v, orders %+v", p.RootCause, p.Cause.Orders)
	}
	rounds := tallyRuns + `
work#2 read c.n=0 a.go:6
work#2 read c.n=0 a.go:6
work write c.n=5 a.go:10
work#2 read c.n=5 a.go:6
work#2 panicstart a.go:9
outcome panic work#2 "panic: full" a.go:9
`
	both := []cause.Literal{{Before: 5, After: 6}, {Before: 6, After: 7}}
	if p := ofCore(t, "a.go", tally, rounds, "", both...); len(p.RootCause) != 3 || !slices.Equal(p.Cause.Orders, []report.Order{{Before: 0, After: 1}, {Before: 1, After: 2}}) {
		t.Errorf("rounds: %+v, orders %+v (%s)", p.RootCause, p.Cause.Orders, p.Cause.Note)
	}
}

// An order is only said to belong to the cause where its own events are told, or ones
// that imply it: another round of a loop is not the same.
func TestNoOrderOfOtherRounds(t *testing.T) {
	p := ofCore(t, "a.go", tally, tallyRuns+`
work write c.n=5 a.go:10
work#2 read c.n=5 a.go:6
work#2 lock c.mu a.go:7
work#2 read c.n=5 a.go:6
work lock c.mu a.go:11
work#2 panicstart a.go:9
outcome panic work#2 "panic: full" a.go:9
`, "", cause.Literal{Before: 4, After: 5}, cause.Literal{Before: 4, After: 7}, cause.Literal{Before: 6, After: 8})
	if len(p.Cause.Orders) != 2 || p.Cause.Note != "1 further order belongs to it" || !strings.Contains(p.Text(), "These orders and 1 further one suffice") {
		t.Errorf("%+v\n%s", p.Cause, p.Text())
	}
}

// In a sentence of two objects each is named: "it" could be either.
func TestTornSentenceOfTwoObjects(t *testing.T) {
	src := "package main\n\nfunc (c *cache) read() {\n\tn := c.version\n\tv := c.value\n}\n\nfunc (c *cache) write() {\n\tc.value = 9\n\tc.version = 2\n}\n"
	fx := &fixture{files: map[string]string{"a.go": src}}
	read := func(string) ([]byte, error) { return []byte(src), nil }
	fail := build(t, `
main spawn read a.go:20
main spawn write a.go:21
read start
read load c.version=1 a.go:4
write start
write store c.value=9 a.go:9
read load c.value=9 a.go:5
write store c.version=2 a.go:10
read panicstart a.go:6
outcome panic read "panic: torn" a.go:6
`, tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)})
	a := newAnalysis(Input{Fail: fail, Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(read)})
	for _, c := range []struct {
		w    int
		want string
	}{
		{5, "`read` read 1 from `c.version` (line 4) and read 9 from `c.value` (5), because `write` set `c.value` to 9 in between (9)."},
		{7, "`read` read 1 from `c.version` (line 4) and read 9 from `c.value` (5), because `write` set `c.version` to 2 in between (10)."},
	} {
		if got, _, _ := a.splitWords(unit{shape: torn, p: 3, w: c.w, e: 6, late: -1, region: &span{file: "a.go", fn: "main.(*cache).read", from: 4, to: 5}}); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}

// A statement that had begun is not told a second time as what had yet to come: the write
// of a slice has several words.
func TestStatementThatHadBegun(t *testing.T) {
	src := "package main\n\nfunc (p *pool) reap() {\n\tp.idle = nil\n}\n\nfunc (p *pool) take() {\n\tuse(p.idle)\n}\n"
	start := "main spawn reap a.go:20\nmain spawn take a.go:21\nreap start\ntake start\nreap lock p.mu a.go:3\n"
	p := ofCore(t, "a.go", src, start+`
reap write p.idle=0 a.go:4
take read p.idle=0 a.go:8
take panicstart a.go:8
outcome panic take "panic: none" a.go:8
`, start+`
reap write p.idle=0 a.go:4
reap write p.idle=0 a.go:4
take read p.idle=0 a.go:8
`, cause.Literal{Before: 4, After: 5}, cause.Literal{Before: 5, After: 6}, cause.Literal{Before: 6, After: 6, Late: true})
	if strings.Contains(p.Sentence, "yet to") || strings.Count(p.Sentence, "(4)")+strings.Count(p.Sentence, "(line 4)") != 1 {
		t.Errorf("sentence %q", p.Sentence)
	}
}
