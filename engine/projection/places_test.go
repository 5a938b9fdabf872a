package projection

import (
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// A place without a file would be read as one of the file that was named last.
func TestPlacesNameAnotherFile(t *testing.T) {
	a := &analysis{fail: &run{Trace: build(t, `
main start
main panic a_test.go:9
outcome panic main "panic: x" a_test.go:9
`, tracetest.Options{Dir: dir})}}
	a.in.Roots.Module = "/src"
	for in, want := range map[string]string{
		"`f` read x (line 3) and wrote it (4).":                         "`f` read x (line 3) and wrote it (4).",
		"`f` read x (pool.go:76); `g` set it (pool.go:45), sent (32).":  "`f` read x (pool.go:76); `g` set it (45), sent (a_test.go:32).",
		"`f` took `<-after(5)` (pool.go:7) and returned (line 8).":      "`f` took `<-after(5)` (pool.go:7) and returned (a_test.go:8).",
		"`f` (a.go:1), `g` (b.go:1), `h` (a.go:2), whose buffer is (3)": "`f` (a.go:1), `g` (b.go:1), `h` (a.go:2), whose buffer is (a_test.go:3)",
	} {
		if got := a.inFiles(in); got != want {
			t.Errorf("%s\ngave %s\nwant %s", in, got, want)
		}
	}
}

// An advice that goroutines which do the same come in another order is none.
func TestEqualWorkersGetNoAdvice(t *testing.T) {
	p := ofCore(t, "a.go", "package main\n\nfunc work() {\n\tn = 1\n\tprintln(m)\n}\n", `
main spawn work a.go:20
main spawn work#2 a.go:21
work start
work#2 start
work write n=1 a.go:4
work#2 write n=1 a.go:4
work panicstart a.go:9
outcome panic work "panic: twice" a.go:9
`, "", cause.Literal{Before: 4, After: 5})
	if !strings.Contains(p.Sentence, "before") || p.MustNot != "" {
		t.Errorf("%s %s", p.Sentence, p.MustNot)
	}
}

// What a test does in its own function is no advice if the bug is in another one of
// its file.
func TestNoAdviceAboutTestFunctions(t *testing.T) {
	src := `package main

func TestLimit(t *testing.T) {
	set(1)
	if get() != 1 {
		t.Error("other limit")
	}
}

func set(n int) {
	limit = n
	count++
}

func get() int {
	count++
	return limit
}
`
	p := ofCore(t, "a_test.go", src, `
main spawn other a_test.go:20
main write limit=1 a_test.go:11 call a_test.go:4
other start
other write limit=2 a_test.go:11 call b_test.go:4:main.other
main read limit=2 a_test.go:17 call a_test.go:5
main testfail a_test.go:6
outcome failure main "other limit" a_test.go:6
`, "", cause.Literal{Before: 1, After: 3}, cause.Literal{Before: 3, After: 4})
	if p.Class != Atomicity || p.MustNot != "" || p.Region != nil {
		t.Errorf("%s %q %+v; %s", p.Class, p.MustNot, p.Region, p.Sentence)
	}
}

// Fields of one name of two objects, accessed in one line, are two steps; where an
// object was made is no begin of a region that others disturb.
func TestTwoObjectsAreTwoSteps(t *testing.T) {
	src := `package main

func total(a, b *account) int {
	return a.get() + b.get()
}

func transfer(from, to *account) {
	from.add(-3)
	to.add(3)
}

func (a *account) add(n int) {
	a.sum += n
}

func (a *account) get() int {
	return a.sum
}
`
	p := ofCore(t, "a.go", src, `
heap a.sum account.sum a.go:30
heap b.sum account.sum a.go:31
main write a.sum=10 a.go:30
main write b.sum=10 a.go:31
main spawn transfer a.go:32
transfer start
main read a.sum=10 a.go:17 call a.go:4
transfer write a.sum=7 a.go:13 call a.go:8
transfer write b.sum=13 a.go:13 call a.go:9
main read b.sum=13 a.go:17 call a.go:4
main panicstart a.go:35
outcome panic main "panic: total is 23" a.go:35
var a.sum int
var b.sum int
`, "", cause.Literal{Before: 4, After: 5}, cause.Literal{Before: 6, After: 7})
	var at []int
	for _, r := range p.Rows[:4] {
		at = append(at, r.Line)
	}
	if !slices.Equal(at, []int{4, 8, 9, 4}) {
		t.Errorf("rows %v", at)
	}
	if p.Region != nil || p.MustNot != "" && strings.Contains(p.MustNot, "30") {
		t.Errorf("%q %+v", p.MustNot, p.Region)
	}
	if len(p.Cause.Orders) != 2 {
		t.Errorf("orders %+v", p.Cause.Orders)
	}
}

// Columns that would read the same say in what the runs differ.
func TestColumnsTellRunsApart(t *testing.T) {
	src := "package main\n\nfunc fill() {\n\tm[1] = 2\n}\n\nfunc look() {\n\t_ = m[1]\n\tpanic(1)\n}\n"
	start := "main spawn fill a.go:1\nmain spawn fill#2 a.go:1\nmain spawn look a.go:1\nfill start\nfill#2 start\nlook start\n"
	p := ofCore(t, "a.go", src, start+`
fill write m.x a.go:4
look read m.x a.go:8
look panicstart a.go:9
outcome panic look "panic: 1" a.go:9
`, start+`
fill write m.x a.go:4
fill#2 write m.x a.go:4
look read m.x a.go:8
look end
`, cause.Literal{Before: 6, After: 7})
	for _, r := range p.Rows {
		if r.Line == 8 && (r.Failing != "set at 4, by fill" || r.Passing != "set at 4, by fill#2") {
			t.Errorf("%+v", r)
		}
	}
}

// An explanation of waits shows no orders, and says nothing of some.
func TestNoOrdersNoEvidence(t *testing.T) {
	a := newAnalysis(Input{Fail: build(t, "main lock mu a.go:1\nblocked main recv ch a.go:2\noutcome deadlock \"asleep\"\n", tracetest.Options{Dir: dir})})
	a.in.Cause = &cause.Cause{Core: []cause.Literal{{Before: cause.None, After: 0}}, Held: 30}
	a.stuck = a.newStuck()
	if e := a.coreEvidence(); e != nil {
		t.Error(e)
	}
}

// What the detector watches in package sync is Wait and the first Add: a Done is no
// side of a race.
func TestDoneIsNoSideOfARace(t *testing.T) {
	tr := build(t, `
main spawn w a.go:5
w start
w wgadd wg=1 a.go:20
w wgdone wg=-1 a.go:21
main wgwait wg a.go:6
`, tracetest.Options{Dir: dir})
	tr.Races = []trace.Race{{Obj: tr.Events[2].Obj,
		First:  trace.Access{G: 2, Seq: -1},
		Second: trace.Access{G: 1, Write: true, Stack: tr.Events[4].Stack, Seq: -1}}}
	tr.Outcome = trace.Outcome{Kind: trace.Raced}
	p := Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	if !strings.Contains(p.Sentence, "called Add on `wg` (line 20)") || strings.Contains(p.Sentence, "Done") {
		t.Error(p.Sentence)
	}
}

// A Wait that returned before an Add: the columns say so, and which side must move.
func TestWaitBeforeAdd(t *testing.T) {
	start := "main spawn w a_test.go:5:main.TestX\nw start\n"
	p := ofCore(t, "a_test.go", "package main\n", start+`
main wgwait wg a_test.go:6:main.TestX
main testfail a_test.go:7:main.TestX
outcome failure main "saw 1" a_test.go:7:main.TestX
`, start+`
w wgadd wg=1 a_test.go:20:main.visit
w wgdone wg=-1 a_test.go:21:main.visit
main wgwait wg a_test.go:6:main.TestX
`, cause.Literal{Before: 2, After: 2, Late: true})
	if len(p.Rows) != 3 || p.Rows[0].Failing != "before 20" || p.Rows[0].Passing != "after 20" {
		t.Errorf("%+v", p.Rows)
	}
	if want := "Line 20 of `w` must come before line 6 of `main`."; p.MustNot != want {
		t.Errorf("advice %q", p.MustNot)
	}
}

// What must come first in a test's own function is no advice either.
func TestNoAdviceToMoveATestsLine(t *testing.T) {
	p := ofCore(t, "a_test.go", "package main\n", `
main spawn w a_test.go:5:main.TestX
w start
w write n=1 a_test.go:20:main.add
main read n=1 a_test.go:6:main.TestX
main testfail a_test.go:7:main.TestX
outcome failure main "n is 1" a_test.go:7:main.TestX
`, "", cause.Literal{Before: 2, After: 3})
	if p.Sentence == "" || p.MustNot != "" {
		t.Errorf("%s %q", p.Sentence, p.MustNot)
	}
}

// A select that nothing recorded let go on, as one that a timer ends, took another case
// than in the passing run.
func TestSelectEndedByATimer(t *testing.T) {
	src := `package main

func collect() {
	select {
	case v := <-out:
		use(v)
	case <-timer.C:
		return
	}
}
`
	p := ofCore(t, "a.go", src, `
main select timer=0/4294967298 a.go:4:main.collect
main panicstart a.go:20
outcome panic main "panic: late" a.go:20
`, `
main spawn w a.go:30
w start
w send out=1 a.go:31
main select out=1/4294967298 a.go:4:main.collect
`, cause.Literal{Before: cause.None, After: 0})
	if want := "`main` took `<-timer.C` (line 7), where a passing run took `v := <-out` (5)."; p.Sentence != want {
		t.Errorf("sentence %q", p.Sentence)
	}
}

// Of several rounds of a line the latest is a step: what came before an earlier round is
// no order of the steps.
func TestOrdersAreOrdersOfSteps(t *testing.T) {
	p := ofCore(t, "a.go", "package main\n", `
main spawn w a.go:5
w start
main read n=0 a.go:6
w write n=1 a.go:20
main read n=1 a.go:6
main panicstart a.go:7
outcome panic main "panic: 1" a.go:7
`, "", cause.Literal{Before: 2, After: 3}, cause.Literal{Before: 3, After: 4})
	for _, o := range p.Cause.Orders {
		if o.Before >= o.After {
			t.Errorf("%+v of %+v", o, p.RootCause)
		}
	}
}

// A literal that only calls a helper says less than the helper.
func TestLiteralThatOnlyCalls(t *testing.T) {
	src := `package m

func (c *cache) set(k string) {
	c.m[k] = time.AfterFunc(keep, func() { c.expire(k) })
}

func (c *cache) expire(k string) {
	c.n--
}

func (c *cache) drop() {
	c.expire("")
}
`
	tr := build(t, `
main spawn f a.go:4
f start
f write c.n=1 a.go:8:m.(*cache).expire call a.go:4:m.(*cache).set.func1
main write c.n=0 a.go:8:m.(*cache).expire call a.go:12:m.(*cache).drop
`, tracetest.Options{Dir: dir})
	a := newAnalysis(Input{Roots: site.Roots{Module: "/src"}, Fail: tr, Files: source.NewFiles(func(string) ([]byte, error) { return []byte(src), nil })})
	if got := a.at(a.entry(2), true) + "; " + a.at(a.entry(3), true); got != "a.go:8; a.go:8, called at a.go:12" {
		t.Errorf("places %s", got)
	}
}
