package native

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// A core's plan has only what the core needs.
func TestDeriveCore(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		core        func(*trace.Trace) []Edge
		want        string
	}{
		{"one order", `
main spawn a m.go:1
main spawn b m.go:2
a start
a lock x m.go:10
a unlock x m.go:11
b start
b lock y m.go:20
b unlock y m.go:21
b close c m.go:22
b lock y m.go:23
b unlock y m.go:24
b end
a lock x m.go:12
a unlock x m.go:13
a send c=1 m.go:14
outcome panic a "panic: send on closed channel" m.go:14
`, order("b close", "a send"), `
step s1 /1#1 1 1 s2
step s2 /2#1 2 1
`},
		{"a lock that was taken in between is not held while waiting", `
main spawn a m.go:1
main spawn b m.go:2
b start
b lock mu m.go:20
b write f m.go:21
b unlock mu m.go:22
b end
a start
a lock mu m.go:10
a read f m.go:11
a unlock mu m.go:12
outcome panic a "panic: x" m.go:13
`, order("b write", "a read"), `
step s1 /1#1 1 1 s2
step s2 /2#1 2 1
`},
		{"nor one that the other needs before", `
main spawn a m.go:1
main spawn b m.go:2
b start
b lock mu m.go:20
b unlock mu m.go:21
a start
a lock mu m.go:10
b store f m.go:22
b end
a load f m.go:11
a unlock mu m.go:12
outcome panic a "panic: x" m.go:13
`, order("b atomic-store", "a atomic-load"), `
step s1 /1#1 1 1 s3
step s2 /1#1 2 1 s3!
step s3 /2#1 3 1
`},
		{"who blocks", `
main spawn a m.go:1
main spawn b m.go:2
a start
a rlock mu m.go:10
b start
b block mu=0/7 m.go:20
a block mu=0/10 m.go:11
blocked a rlock mu m.go:11
blocked b lock mu m.go:20
outcome deadlock
`, order("b block", "a block"), `
step s1 /1#1 1 1 s2~
step s2 /2#1 2 1
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := tracetest.Build(c.trace, tracetest.Options{Dir: "/src/"})
			if err != nil {
				t.Fatal(err)
			}
			plan := corePlan(tr, c.core(tr), newNumbering(tr))
			if d := cmp.Diff(strings.TrimSpace(c.want), strings.TrimSpace(plan.Steps.String())); d != "" {
				t.Errorf("plan (-want +got):\n%s\n%v", d, plan.Places)
			}
			if _, err := breakpoints.Parse(plan.Steps.String()); err != nil {
				t.Error(err)
			}
		})
	}
}

// order is a core of one order: of the last events of that goroutine and operation.
func order(before, after string) func(*trace.Trace) []Edge {
	find := func(t *trace.Trace, what string) int {
		at := -1
		for i, e := range t.Events {
			if t.Goroutine(e.G).Display+" "+e.Op.String() == what {
				at = i
			}
		}
		return at
	}
	return func(t *trace.Trace) []Edge { return []Edge{{find(t, before), find(t, after)}} }
}

// The orders around a context switch are those of the goroutine that is stopped.
func TestAround(t *testing.T) {
	tr, err := tracetest.Build(`
main spawn a m.go:1
main spawn b m.go:2
a start
a lock x m.go:10
a unlock x m.go:11
b start
b close c m.go:22
b end
a send c=1 m.go:14
outcome panic a "panic: send on closed channel" m.go:14
`, tracetest.Options{Dir: "/src/"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Edge{{4, 5}, {7, 8}}, Around(tr, []int{5})); d != "" {
		t.Error(d)
	}
}

// The orders of accesses to the same objects make the ordinary build fail, with nothing
// else kept.
func TestConfirmCore(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	builder := instrument.NewBuilder(t.TempDir())
	for _, name := range []string{"lockregion", "timer", "rpc"} {
		t.Run(name, func(t *testing.T) {
			target, _, least := unpack(t, "testdata/kinds/"+name+".txtar")
			fail := failingTrace(t, t.Context(), builder, target)
			plan := corePlan(fail, conflicts(fail), newNumbering(fail))
			rep, err := Confirm(t.Context(), Request{Target: target, Trace: fail, Plan: &plan, Runs: 20})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Failed*20 < rep.Runs*least {
				t.Errorf("failed %d of %d, played %d\n%s%v\n%s", rep.Failed, rep.Runs, rep.Played, rep.Plan.Steps, rep.Plan.Places, rep.Broken)
			}
		})
	}
}

// conflicts are the orders of neighbouring events on one object of the program's.
func conflicts(t *trace.Trace) []Edge {
	var edges []Edge
	last := map[trace.ObjID]int{}
	for i, e := range t.Events[:failureEnd(t)] {
		if _, ok := t.UserFrame(e.Stack); !ok || e.Obj == 0 || !isOp(e.Op) || isPlain(e.Op) {
			continue
		}
		if before, ok := last[e.Obj]; ok && t.Events[before].G != e.G {
			edges = append(edges, Edge{before, i})
		}
		last[e.Obj] = i
	}
	return edges
}
