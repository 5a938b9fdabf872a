package projection

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// plain projects runs of a program without source text.
func plain(t *testing.T, fail, pass string) (*Projection, Input) {
	t.Helper()
	opt := tracetest.Options{Dir: dir}
	input := func() Input {
		in := Input{Roots: site.Roots{Module: "/src"}, Fail: build(t, fail, opt)}
		if pass != "" {
			in.Pass = build(t, pass, opt)
		}
		return in
	}
	survives(input)
	in := input()
	return Project(in), in
}

func lines(p *Projection) []int {
	var out []int
	for _, a := range p.RootCause {
		out = append(out, a.Line)
	}
	return out
}

func wantLines(t *testing.T, p *Projection, want ...int) {
	t.Helper()
	got := map[int]bool{}
	for _, l := range lines(p) {
		got[l] = true
	}
	for _, l := range want {
		if !got[l] {
			t.Errorf("lines %v lack %d; %s", lines(p), l, p.Sentence)
		}
	}
}

func TestRaceNamesBothSides(t *testing.T) {
	opt := tracetest.Options{Dir: dir}
	tr := build(t, `
main spawn reader a.go:5
main write n=1 a.go:6
reader start
reader read n=0 a.go:20
outcome data-race "data race on n"
`, opt)
	w, r := tr.Events[1], tr.Events[3]
	tr.Races = []trace.Race{{
		Obj: w.Obj, First: trace.Access{G: w.G, Write: true, Stack: w.Stack, Seq: 1},
		Second: trace.Access{G: r.G, Stack: r.Stack, Seq: 3},
	}}
	p := Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	wantLines(t, p, 6, 20)
	if p.Class != DataRace {
		t.Errorf("class %s", p.Class)
	}
}

// A race of which one side lies in the standard library alone does not stand for
// one that can be named.
func TestRaceWithTwoNamedSides(t *testing.T) {
	tr := build(t, `
main spawn reader a.go:5
main write n=1 a.go:6
reader start
reader read n=0 a.go:20
outcome data-race "data race on n"
`, tracetest.Options{Dir: dir})
	w, r := tr.Events[1], tr.Events[3]
	write := trace.Access{G: w.G, Write: true, Stack: w.Stack, Seq: 1}
	tr.Races = []trace.Race{
		{Obj: w.Obj, First: write, Second: trace.Access{G: r.G, Seq: 2}},
		{Obj: w.Obj, First: write, Second: trace.Access{G: r.G, Stack: r.Stack, Seq: 3}},
	}
	wantLines(t, Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr}), 6, 20)
}

func TestSignalBeforeWait(t *testing.T) {
	p, _ := plain(t, `
main spawn waiter a.go:5
waiter start
waiter read ready=0 a.go:20
main write ready=1 a.go:6
main signal c a.go:7
waiter lock mu a.go:21
waiter condwait c a.go:22
waiter block c a.go:22
blocked waiter condwait c a.go:22
outcome leak "goroutine blocked for ever"
`, "")
	if p.Class != Missed {
		t.Errorf("class %s", p.Class)
	}
	wantLines(t, p, 7, 22)
}

// The receiver left by another way of its select; the sender waits for ever.
func TestLeakNamesWhereTheReceiverWent(t *testing.T) {
	pass := `
main spawn sender a.go:5
sender start
sender send out a.go:20
main select out=1/2 a.go:7
sender end
`
	p, _ := plain(t, `
main spawn sender a.go:5
main spawn timer a.go:6
sender start
timer start
timer close stop a.go:30
timer end
main select stop=0/2 a.go:7
main end
sender block out a.go:20
blocked sender send out a.go:20
outcome leak "goroutine blocked for ever"
`, pass)
	wantLines(t, p, 20, 7, 30)
	if p.Class != Deadlock {
		t.Errorf("class %s", p.Class)
	}
}

func TestLostUpdate(t *testing.T) {
	run := func(order string, last string) string {
		return "main spawn w a.go:5\nmain spawn w#2 a.go:5\nw start\nw#2 start\n" + order +
			"w wgdone wg=-1 a.go:13\nw#2 wgdone wg=-1 a.go:13\nmain wgwait wg a.go:6\nmain read n=" + last + " a.go:7\n"
	}
	p, _ := plain(t, run(`
w read n=0 a.go:12
w#2 read n=0 a.go:12
w#2 write n=1 a.go:12
w write n=1 a.go:12
`, "1")+"main panic - a.go:8\noutcome panic main \"panic: lost\" a.go:8\n", run(`
w read n=0 a.go:12
w write n=1 a.go:12
w#2 read n=1 a.go:12
w#2 write n=2 a.go:12
`, "2"))
	if p.Class != Atomicity || p.Region == nil || p.Region.From != 12 || p.Region.To != 12 {
		t.Errorf("class %s, region %+v; %s", p.Class, p.Region, p.Sentence)
	}
	who := map[string]bool{}
	for _, a := range p.RootCause {
		who[a.Goroutine] = true
	}
	if !who["w"] || !who["w#2"] {
		t.Errorf("root cause %+v", p.RootCause)
	}
}

func TestUseBeforeInit(t *testing.T) {
	p, _ := plain(t, `
main spawn user a.go:5
user start
user read conf=nil a.go:20
user panic - a.go:21
outcome panic user "panic: nil" a.go:21
`, `
main spawn user a.go:5
main write conf=4096 a.go:6
user start
user read conf=4096 a.go:20
user end
`)
	if p.Class != Order {
		t.Errorf("class %s", p.Class)
	}
	wantLines(t, p, 20, 6)
}

// The signal comes for an item that its waker's own goroutine took long ago.
func TestWokenForNothing(t *testing.T) {
	pre := `
main spawn w a.go:5
w start
main write n=1 a.go:6
w read n=1 a.go:20
w write n=0 a.go:24
w read n=0 a.go:20
w condwait c a.go:21
`
	p, _ := plain(t, pre+`
main signal c a.go:7
w condwake c a.go:21
w read n=0 a.go:22
w panic - a.go:23
outcome panic w "panic: empty" a.go:23
`, pre+`
main write n=1 a.go:6
main signal c a.go:7
w condwake c a.go:21
w read n=1 a.go:22
w write n=0 a.go:24
`)
	if p.Class != Missed {
		t.Errorf("class %s: %s", p.Class, p.Sentence)
	}
	wantLines(t, p, 24, 7, 21, 22)
}

func TestSendOnClosed(t *testing.T) {
	p, _ := plain(t, `
main spawn w a.go:5
w start
w send c a.go:20
main close c a.go:6
w panic - a.go:20
outcome panic w "panic: send on closed channel" a.go:20
`, "")
	if p.Class != Misuse {
		t.Errorf("class %s", p.Class)
	}
	wantLines(t, p, 6, 20)
}

func TestEvidenceIsWorded(t *testing.T) {
	opt := tracetest.Options{Dir: dir}
	tr := build(t, "main spawn w a.go:5\nmain write x=1 a.go:6\nw start\nw read x=1 a.go:9\nw panic - a.go:10\noutcome panic w \"panic: p\" a.go:10\n", opt)
	p := Project(Input{Roots: site.Roots{Module: "/src"}, Fail: tr, Switches: []SwitchEvidence{{Switch: trace.Switch{From: 1, To: 2, At: 2}, Runs: 20}}})
	want := "without the switch from main to w after a.go:6, 0 of 20 runs fail"
	if strings.Join(p.Evidence, "") != want {
		t.Errorf("evidence %q, want %q", p.Evidence, want)
	}
}

// Neighbours in one word are different variables.
func TestNeighboursAreApart(t *testing.T) {
	tr := build(t, "main store a=1 a.go:5\nmain store b=2 a.go:6\nmain load a=1 a.go:7\n", tracetest.Options{})
	for i := range tr.Objects[1:] {
		tr.Objects[i+1].Name = "main.s+" + string(rune('0'+4*i))
	}
	if r := newRun(tr); r.src[2] != 0 {
		t.Errorf("the load saw event %d, want 0", r.src[2])
	}
}
