package projection

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

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

// A channel that a field holds has the number of what that is a field of, though it was
// made apart.
func TestChannelIsNumberedAsItsHolder(t *testing.T) {
	tr := build(t, `
heap x.ch sub.ch a.go:3
heap one sub.ch a.go:3
heap y.ch sub.ch a.go:3
heap two sub.ch a.go:3
main write x.ch=4096 a.go:3
main write y.ch=8192 a.go:3
main close two a.go:9
main close one a.go:9
`, tracetest.Options{Dir: dir})
	for i := range tr.Objects[1:] {
		o := &tr.Objects[i+1]
		o.Name = "alloc:" + string(rune('a'+i)) + "+0"
		switch i {
		case 1, 3:
			o.Kind, o.Addr, o.Elem = trace.ObjChan, 4096, "chan"
			if i == 3 {
				o.Addr = 8192
			}
		default:
			o.Elem = "chan"
		}
	}
	a := newAnalysis(Input{Roots: site.Roots{Module: "/src"}, Fail: tr})
	a.root = []entry{a.entry(2), a.entry(3)}
	if two, one := a.nameOf(a.entry(2)), a.nameOf(a.entry(3)); two != "sub#2.ch" || one != "sub#1.ch" {
		t.Errorf("the channels are %s and %s", two, one)
	}
}
