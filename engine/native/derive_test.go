package native

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// Numbers in block events' AUX: the pending operation.
//
// 7 lock, 15 wg-wait, 16 cond-wait, 25 send, 26 recv.
var derived = []struct {
	name, trace string
	want        string // of Plan.Steps
}{
	{"preempted between two lock regions", `
main spawn a m.go:1
main spawn b m.go:1
main block wg=0/15 m.go:2
a start
a lock mu m.go:10
a unlock mu m.go:11
b start
b lock mu m.go:10
b unlock mu m.go:11
b lock mu m.go:12
b end
a lock mu m.go:12
outcome panic a "panic: x" m.go:13
`, `
step s1 / 1 1 late s3+
step s2 /1#1 2 1 s1
step s3 /1#1 3 1 s5!
step s4 /1#2 4 1 s3
step s5 /1#2 5 1
`},
	{"visits of loops are counted from the last step, and a is held at the lock it would take next", `
main spawn a m.go:1
a start
a lock mu m.go:10
a unlock mu m.go:11
a lock mu m.go:10
a unlock mu m.go:11
a lock mu m.go:10
main lock mu2 m.go:2
a unlock mu m.go:11
a lock mu m.go:10
a unlock mu m.go:11
main unlock mu2 m.go:3
outcome panic main "panic: x" m.go:3
`, `
step s1 / 1 1 s4
step s2 / 2 1 s5
step s3 /1#1 3 1 s1
step s4 /1#1 4 3 s2
step s5 /1#1 3 2 late s2+
`},
	{"two deadlocked goroutines wait last", `
main spawn a m.go:1
main spawn b m.go:2
main block c=0/26 m.go:3
a start
a lock x m.go:10
b start
b lock y m.go:20
b block x=0/7 m.go:21
a block y=0/7 m.go:11
blocked a lock y m.go:11
blocked b lock x m.go:21
blocked main recv c m.go:3
outcome deadlock
`, `
step s1 / 1 1
step s2 /1#1 2 1 s1~
step s3 /1#1 3 1 s5
step s4 /2#1 4 1 s3
step s5 /2#1 5 1 s3
`},
}

func TestDerivePlan(t *testing.T) {
	for _, c := range derived {
		t.Run(c.name, func(t *testing.T) {
			tr, err := tracetest.Build(c.trace, tracetest.Options{Dir: "/src/"})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := DerivePlan(tr)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.TrimSpace(c.want), strings.TrimSpace(plan.Steps.String())); d != "" {
				t.Errorf("plan (-want +got):\n%s", d)
			}
			if _, err := breakpoints.Parse(plan.Steps.String()); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := DerivePlan(&trace.Trace{}); err == nil {
		t.Error("a plan was derived from no events")
	}
}

// A step that has no place is replaced by what it waited for.
func TestLeaveOut(t *testing.T) {
	steps, err := breakpoints.Parse("step a / 1 1;step b /1#1 2 1 a;step c /1#2 3 1 b")
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Steps: steps}
	p.leaveOut([]points.Skip{{Place: points.Place{ID: 2, Kind: points.At}, Reason: "no statement"}})
	if got := p.Steps.String(); got != "step a / 1 1\nstep c /1#2 3 1 a\n" {
		t.Errorf("left: %s", got)
	}
	if len(p.Dropped) != 1 {
		t.Errorf("dropped %v", p.Dropped)
	}
}
