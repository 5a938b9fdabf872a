package projection

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

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

// A lock is held after a Cond's Wait, which unlocks and locks it, as before.
func TestRaceAfterAWaitOfACond(t *testing.T) {
	p := program(t, statsText, statsRun+`
fill lock s.mu a.go:9
fill unlock s.mu std/sync/cond.go:70:sync.(*Cond).Wait call a.go:9
fill lock s.mu std/sync/cond.go:72:sync.(*Cond).Wait call a.go:9
fill write s.n=1 a.go:10
size read s.n=1 a.go:16
`, "", [2]int{7, 8})
	if want := "`fill` wrote `s.n` (line 10) holding `stats.mu` and `size` read it (16) holding no lock: nothing orders the two. "; !strings.HasPrefix(p.Sentence, want) {
		t.Errorf("sentence %q, want %q", p.Sentence, want)
	}
}

// Locks that the source calls alike are two where the sides hold different ones.
func TestRaceUnderTwoLocksOfOneName(t *testing.T) {
	run := strings.ReplaceAll(statsRun, "heap s.mu stats.mu a.go:20", "heap x.mu stats.mu a.go:20\nheap y.mu stats.mu a.go:20")
	p := program(t, statsText, run+`
fill lock x.mu a.go:14
fill write s.n=1 a.go:10
size lock y.mu a.go:14
size read s.n=1 a.go:16
`, "", [2]int{5, 7})
	if !strings.Contains(p.Sentence, "holding `stats#2.mu` and `size`") || !strings.Contains(p.Sentence, "holding `stats#3.mu`: nothing") {
		t.Errorf("sentence %q", p.Sentence)
	}
}
