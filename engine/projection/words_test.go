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

const statsText = `package m

type stats struct {
	mu sync.RWMutex
	m  map[string]int
	n  int
}

func (s *stats) fill() {
	s.n = 1
}

func (s *stats) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.n
}

func main() {
	st := &stats{}
	go st.fill()
	go st.size()
}
`

const statsRun = `
heap s.n stats.n a.go:20
heap s.mu stats.mu a.go:20
main spawn fill a.go:21
main spawn size a.go:22
fill start
size start
`

func TestRaceNamesLocksAndStarts(t *testing.T) {
	wantWords(t, program(t, statsText, statsRun+`
fill write s.n=1 a.go:10
size rlock s.mu a.go:14
size read s.n=1 a.go:16
`, "", [2]int{4, 6}),
		"`fill` wrote `s.n` (line 10) holding no lock and `size` read it (16) holding `s.mu` for reading: nothing orders the two. `fill` was started at line 21, `size` at line 22.",
		"Line 10 must hold `s.mu` for writing, as line 16 holds it for reading.")
}

func TestRaceUnderReadLocks(t *testing.T) {
	p := program(t, statsText, statsRun+`
fill rlock s.mu a.go:14
fill write s.n=1 a.go:10
size rlock s.mu a.go:14
size read s.n=1 a.go:16
`, "", [2]int{5, 7})
	if want := "Line 10 writes: it must hold `s.mu` for writing, by Lock and not by RLock."; p.MustNot != want {
		t.Errorf("advice %q, want %q", p.MustNot, want)
	}
}

// Of an access that is not among the events it is not known which locks were held.
func TestRaceOfUnknownLocks(t *testing.T) {
	p := program(t, statsText, statsRun+`
fill lock s.mu a.go:9
fill write s.n=1 a.go:10
size read s.n=1 a.go:16
`, "", [2]int{-5, 6})
	if want := "`fill` wrote `s.n` (line 10) and `size` read it (16) holding no lock: nothing orders the two. "; !strings.HasPrefix(p.Sentence, want) {
		t.Errorf("sentence %q, want %q", p.Sentence, want)
	}
	if want := "Both accesses need one lock, or a channel or WaitGroup that orders them."; p.MustNot != want {
		t.Errorf("advice %q, want %q", p.MustNot, want)
	}
	for _, r := range p.Rows {
		if r.Line == 10 && strings.Contains(r.Failing, "hold") {
			t.Errorf("row %+v", r)
		}
	}
}

func TestRaceWithoutLocks(t *testing.T) {
	p := program(t, statsText, statsRun+`
fill write s.n=1 a.go:10
size read s.n=1 a.go:16
`, "", [2]int{4, 5})
	if want := "`fill` wrote `s.n` (line 10) and `size` read it (16), neither holding a lock: nothing orders the two. "; !strings.HasPrefix(p.Sentence, want) {
		t.Errorf("sentence %q, want %q", p.Sentence, want)
	}
	if p.Failure.Line != 16 {
		t.Errorf("it fails at %v", p.Failure)
	}
}

// A side that package sync does inside, and that is no event, is the call on the object.
func TestRaceInsideSync(t *testing.T) {
	opt := tracetest.Options{Dir: dir}
	tr := build(t, `
main spawn w a.go:5
w start
w wgadd wg=1 a.go:20
main wgwait wg a.go:6
`, opt)
	inside := trace.StackID(len(tr.Stacks))
	tr.Stacks = append(tr.Stacks, []trace.Frame{{Func: "sync.(*WaitGroup).Add", File: "std/sync/waitgroup.go", Line: 80}})
	tr.Races = []trace.Race{{Obj: tr.Events[2].Obj,
		First:  trace.Access{G: 2, Stack: inside, Seq: -1},
		Second: trace.Access{G: 1, Write: true, Stack: tr.Events[3].Stack, Seq: -1}}}
	tr.Outcome = trace.Outcome{Kind: trace.Raced}
	p := Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	wantLines(t, p, 20, 6)
	if !strings.Contains(p.Sentence, "called Add on `wg` (line 20)") || p.MustNot != "Line 20 must come before line 6." {
		t.Errorf("sentence %q, advice %q", p.Sentence, p.MustNot)
	}
}

const nodesText = `package m

func lock(n *node) {
	n.mu.Lock()
}

func first(a, b *node) {
	lock(a)
	lock(b)
}

func main() {
	x, y := &node{}, &node{}
	go first(x, y)
	go first(y, x)
}
`

// Two objects that a helper calls alike go by the callers' names.
func TestObjectsOfOneTypeAreToldApart(t *testing.T) {
	p := program(t, nodesText, `
heap x.mu node.mu a.go:13
heap y.mu node.mu a.go:13
main spawn first a.go:14
main spawn first#2 a.go:15
first start
first#2 start
first lock x.mu a.go:4 call a.go:8
first#2 lock y.mu a.go:4 call a.go:8
first block y.mu a.go:4 call a.go:9
first#2 block x.mu a.go:4 call a.go:9
blocked first lock y.mu a.go:4 call a.go:9 holder first#2
blocked first#2 lock x.mu a.go:4 call a.go:9 holder first
outcome deadlock "all goroutines are asleep"
`, "")
	names := map[string]bool{}
	for _, a := range p.RootCause {
		names[a.Var] = true
	}
	if !names["x.mu"] || !names["y.mu"] || len(names) != 2 {
		t.Errorf("the locks are called %v", names)
	}
}

// Where no source tells them apart, the order in which they were made does.
func TestObjectsAreNumbered(t *testing.T) {
	p, _ := plain(t, `
heap x.mu node.mu a.go:13
main spawn w a.go:14
heap y.mu node.mu a.go:13
main spawn v a.go:15
w start
v start
w lock x.mu a.go:4
v lock y.mu a.go:4
w block y.mu a.go:5
v block x.mu a.go:5
blocked w lock y.mu a.go:5 holder v
blocked v lock x.mu a.go:5 holder w
outcome deadlock "all goroutines are asleep"
`, "")
	var names []string
	for _, a := range p.RootCause {
		names = append(names, a.Var)
	}
	if got := strings.Join(names, " "); got != "node#1.mu node#2.mu node#2.mu node#1.mu" {
		t.Errorf("the locks are called %s", got)
	}
}

const ctxText = `package m

func push(ctx context.Context, out chan int) error {
	select {
	case out <- 1:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func main() {
	ctx, cancel := context.WithCancel(bg)
	go stop(cancel)
	if push(ctx, out) != nil {
		panic("lost")
	}
}

func stop(cancel func()) {
	cancel()
}
`

// A context that was cancelled before its channel was asked for has a channel of
// package context's own, closed when the program began.
func TestCancelledContext(t *testing.T) {
	const made = "std/context/context.go:270:context.withCancel call std/context/context.go:240:context.WithCancel call a.go:13"
	pre := `
heap ctx cancelCtx.done ` + made + `
main close closed std/context/context.go:470:context.init
main spawn stop a.go:14
stop start
`
	store := "stop store ctx=4096 std/context/context.go:560:context.(*cancelCtx).cancel call std/context/context.go:240:context.WithCancel.func1 call a.go:21\n"
	load := "main load ctx=4096 std/context/context.go:450:context.(*cancelCtx).Done call a.go:7 call a.go:15\n"
	p := program(t, ctxText, pre+store+load+`
main select closed=1/2 a.go:4 call a.go:15
main panic - a.go:16
outcome panic main "panic: lost" a.go:16
`, pre+`
main select out=0/4294967298 a.go:4 call a.go:15
main end
`)
	if strings.Contains(p.Sentence, "closedchan") || strings.Contains(p.Sentence, ".:0") || !strings.Contains(p.Sentence, "`stop` cancelled `ctx` (21)") {
		t.Errorf("sentence %q", p.Sentence)
	}
}

// What a goroutine waits for may have been made before any line of the program ran.
func TestObjectMadeByTheTestMain(t *testing.T) {
	p, _ := plain(t, `
heap done chan(a.go:1) std/testing/testing.go:9:testing.MainStart call _testmain.go:50
main spawn w a.go:5
w start
w block done std/testing/testing.go:20:testing.(*T).Parallel call a.go:7
blocked w recv done std/testing/testing.go:20:testing.(*T).Parallel call a.go:7
outcome deadlock "all goroutines are asleep"
`, "")
	if len(p.RootCause) == 0 || p.RootCause[0].Line != 7 {
		t.Errorf("root cause %+v", p.RootCause)
	}
}

// The deadline of a context is told as the timer that it is, at the line that made it.
func TestDeadline(t *testing.T) {
	tr := build(t, `
heap ctx cancelCtx.err std/context/context.go:270:context.withCancel call std/context/context.go:640:context.WithTimeout call a.go:13
main spawn timer a.go:13
timer start
timer store ctx=4096 std/context/context.go:560:context.(*cancelCtx).cancel call std/context/context.go:643:context.WithDeadlineCause.func2
main load ctx=4096 std/context/context.go:460:context.(*cancelCtx).Err call a.go:15
`, tracetest.Options{Dir: dir})
	tr.Goroutines[2].Index = 1<<31 + 1
	read := func(string) ([]byte, error) {
		return []byte(strings.Replace(ctxText, "context.WithCancel(bg)", "context.WithTimeout(bg, d)", 1)), nil
	}
	a := newAnalysis(Input{Roots: site.Roots{Module: "/src"}, Fail: tr, Files: source.NewFiles(read)})
	e, f := a.entry(2), a.entry(3)
	if got := a.who(e) + " " + a.did(e, a.object(e)) + " (" + a.at(e, true) + ")"; got != "a timer cancelled `ctx` (a.go:13)" {
		t.Errorf("the deadline: %s", got)
	}
	if got := a.again(e, f); got != "it" {
		t.Errorf("the context is called %s", got)
	}
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		v         uint64
		elem, typ string
		want      string
	}{
		{0, "ptr", "*m.conn", "nil"},
		{0xc000012340, "ptr", "*m.conn", "&conn{...}"},
		{0xc000012340, "ptr", "*m.list[int]", "&list{...}"},
		{0xc000012340, "ptr", "atomic.Pointer[m.conf]", "&conf{...}"},
		{0xc000012340, "ptr", "*int", ""},
		{0, "", "atomic.Value", "nil"},
		{0xc8, "slice", "[]int", ""},
		{0, "slice", "[]int", "nil"},
		{0, "interface", "error", "nil"},
		{0, "", "error", "nil"},
		{0, "string", "string", `""`},
		{0x55, "string", "string", ""},
		{200, "int8", "int8", "-56"},
		{200, "", "m.unknown", ""},
		{1, "bool", "m.flag", "true"},
		{0x4000000000000000, "float64", "float64", "2"},
		{5, "", "atomic.Int64", "5"},
	} {
		o := &trace.Object{Elem: tt.elem, Type: tt.typ}
		size := 8
		if tt.elem == "int8" {
			size = 1
		}
		if got := format(tt.v, kindOf(o), tt.typ, size); got != tt.want {
			t.Errorf("%#x of %s %s: %q, want %q", tt.v, tt.elem, tt.typ, got, tt.want)
		}
	}
}

func TestWithIndexes(t *testing.T) {
	for _, tt := range [][3]string{
		{"g.cells[x][y].n", "grid.cells[1][2].n", "g.cells[1][2].n"},
		{"h.rows[k].vals[i]", "row.vals[3]", "h.rows[k].vals[3]"},
		{"all[n.k]", "element 2 of a []chan int (a.go:5)", "all[2]"},
		{"m[k]", "cache.m", "m[k]"},
		{"n", "element 2 of a []int (a.go:5)", "n"},
	} {
		if got := withIndexes(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s of %s: %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
}

// A variable and the channel in it have one name.
func TestVariableAndItsChannel(t *testing.T) {
	tr := build(t, `
heap done grid.done a.go:3
heap ch grid.done a.go:3
main read done=4096 a.go:5
main close ch a.go:6
`, tracetest.Options{Dir: dir})
	tr.Objects[1].Elem, tr.Objects[2].Kind = "chan", trace.ObjChan
	a := newAnalysis(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	if e, f := a.entry(0), a.entry(1); a.nameOf(e) != "grid.done" || a.nameOf(f) != "grid.done" {
		t.Errorf("the variable is %s, the channel %s", a.nameOf(e), a.nameOf(f))
	}
}

func TestParseVar(t *testing.T) {
	for v, want := range map[string]parsedVar{
		"node.mu":                                {last: "mu", typ: "node"},
		"queue.items[3]":                         {last: "items", element: true, index: "3", typ: "queue"},
		"queue.cells[2].n":                       {last: "n", index: "2", typ: "queue"},
		"element 2 of a []chan int (a.go:5)":     {element: true, index: "2"},
		"element 1.done of a []job (a.go:5)":     {last: "done", index: "1"},
		"variable (a.go:5)":                      {},
		"chan int (a.go:5)":                      {},
		"sync.Mutex (a.go:5)":                    {},
		"struct.b (a.go:5)":                      {last: "b", typ: "struct"},
		"n":                                      {last: "n"},
		"*queue.count":                           {last: "count", typ: "queue"},
		"element of a map[string]m.job (a.go:5)": {},
	} {
		if got := parseVar(v); got != want {
			t.Errorf("%s: %+v, want %+v", v, got, want)
		}
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

// A side of which the calls are lost is the close, if it writes, and no receive that came
// after that.
func TestRaceOnAChannelWithoutCalls(t *testing.T) {
	tr := build(t, `
heap c chan(a.go:3) a.go:3
main spawn w a.go:5
main close c a.go:6
main recv c=2 a.go:9
w start
w send c=1 a.go:20
`, tracetest.Options{Dir: dir})
	tr.Objects[1].Kind, tr.Objects[1].Name = trace.ObjChan, "alloc:c+0"
	e := tr.Events[4]
	tr.Races = []trace.Race{{Obj: e.Obj, First: trace.Access{G: 1, Write: true, Seq: -1}, Second: trace.Access{G: e.G, Stack: e.Stack, Seq: 4}}}
	tr.Outcome = trace.Outcome{Kind: trace.Raced}
	p := Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	if len(p.RootCause) != 2 || p.RootCause[0].Op != "close" || p.RootCause[0].Line != 6 || p.RootCause[1].Op != "send" {
		t.Errorf("root cause %+v", p.RootCause)
	}
}

// The accesses inside a channel are the operations on it.
func TestRaceOnAChannel(t *testing.T) {
	tr := build(t, `
heap c chan(a.go:3) a.go:3
heap inside chan(a.go:3) a.go:3
main spawn w a.go:5
w start
w send c=1 a.go:20
w read inside=0 a.go:20
main write inside=0 a.go:6
main close c a.go:6
`, tracetest.Options{Dir: dir})
	for i := range tr.Objects[1:] {
		o := &tr.Objects[i+1]
		o.Kind, o.Name = trace.ObjChan, "alloc:c+"+[]string{"0", "16"}[i]
	}
	e, f := tr.Events[3], tr.Events[4]
	tr.Races = []trace.Race{{Obj: e.Obj, First: trace.Access{G: e.G, Stack: e.Stack, Seq: 3}, Second: trace.Access{G: f.G, Write: true, Stack: f.Stack, Seq: 4}}}
	tr.Outcome = trace.Outcome{Kind: trace.Raced}
	p := Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	if len(p.RootCause) != 2 || p.RootCause[0].Op != "send" || p.RootCause[1].Op != "close" || p.RootCause[0].Var != p.RootCause[1].Var {
		t.Errorf("root cause %+v", p.RootCause)
	}
	if want := "Line 20 must not send when line 6 may have closed the channel."; p.MustNot != want {
		t.Errorf("advice %q, want %q", p.MustNot, want)
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
