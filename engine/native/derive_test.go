package native

import (
	"fmt"
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
	{"who waits for the network looks as if it could go on", `
main spawn a m.go:1
a start
a netaccept l=1 m.go:10
a block c=0/53 m.go:11
main lock mu m.go:2
main netwrite c=1 m.go:3
a netread c=1 m.go:11
outcome panic a "panic: x" m.go:12
`, `
step s1 / 1 1 s3+
step s2 /1#1 2 1 s1
step s3 /1#1 3 1
`},
	{"who sleeps need not be awake again", `
main spawn a m.go:1
main sleep s=5 m.go:2
main block s=0/37 m.go:2
a start
a lock mu m.go:10
a unlock mu m.go:11
main lock mu m.go:3
outcome panic main "panic: x" m.go:4
`, `
step s1 / 1 1
step s2 / 2 1 s4+
step s3 /1#1 3 1 s1+
step s4 /1#1 4 1
`},
	{"a function without places is held where its goroutine starts", `
main spawn a m.go:1
main spawn b m.go:2
a start
a lock mu m.go:10
a unlock mu m.go:11
b start
b lock ctx m.go:2:main.main.gowrap1
b unlock ctx m.go:2:main.main.gowrap1
b end
a lock mu m.go:12
outcome panic a "panic: x" m.go:13
`, `
step s1 / 1 1
step s2 /1#1 2 1 s1+
step s3 /1#1 3 1 s5!
step s4 /2#1 4 1 s3
step s5 /2#1 4 0
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
	if len(p.Dropped) != 1 || p.Waits != 1 {
		t.Errorf("dropped %v, %d steps wait", p.Dropped, p.Waits)
	}
	p.leaveOut([]points.Skip{{Place: points.Place{ID: 1, Kind: points.At}, Reason: "no statement"}})
	if len(p.Dropped) != 2 || p.Waits != 0 {
		t.Errorf("dropped %v, %d steps wait for none", p.Dropped, p.Waits)
	}
}

// plannedOf derives the plan of a trace.
func plannedOf(t *testing.T, text string) (Plan, map[string]breakpoints.Step) {
	t.Helper()
	tr, err := tracetest.Build(text, tracetest.Options{Dir: "/src/"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := DerivePlan(tr)
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]breakpoints.Step{} // by role and line
	lines := map[int]int{}
	for _, pl := range p.Places {
		if pl.Kind != points.Spawn {
			lines[pl.ID] = pl.Line
		}
	}
	for _, s := range p.Steps.Steps {
		steps[fmt.Sprintf("%s:%d", s.Role, lines[s.Point])] = s
	}
	return p, steps
}

// Goroutines that only begin to wait are not waited for one by one.
func TestCrowdIsWaitedForTogether(t *testing.T) {
	const n = manyBlocked + 8
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "main spawn w%d m.go:1\n", i)
	}
	b.WriteString("main lock mu m.go:2\n")
	for i := range n {
		fmt.Fprintf(&b, "w%d block c=0/26 m.go:10\n", i)
	}
	b.WriteString("main unlock mu m.go:3\noutcome panic main \"panic: x\" m.go:3\n")
	p, steps := plannedOf(t, b.String())
	if got := len(steps["/:3"].After); got != n {
		t.Errorf("who comes next waits for %d of %d:\n%s", got, n, p.Steps)
	}
	for i := range n {
		s := steps[fmt.Sprintf("/1#%d:10", i+1)]
		if len(s.After) > 1 || len(s.After) == 1 && strings.HasPrefix(s.After[0].Step, "w") {
			t.Errorf("one of the crowd waits for %v", s.After)
		}
	}
}

// A statement that starts a goroutine and then waits for it, as t.Run does, has
// its point before both: there it can't wait for what the goroutine does.
func TestNoWaitBeforeTheStart(t *testing.T) {
	p, steps := plannedOf(t, `
main lock mu m.go:1
main spawn sub m.go:5
sub lock mu s.go:1
sub unlock mu s.go:2
main recv c m.go:5
main unlock mu m.go:6
outcome panic main "panic: x" m.go:6
`)
	for _, r := range steps["/:5"].After {
		t.Errorf("line 5 waits for %s:\n%s", r.Step, p.Steps)
	}
}

// Who was let go by a condition variable, and did not run, is held there.
func TestWhoNeverWokeIsHeld(t *testing.T) {
	p, _ := plannedOf(t, `
main spawn a m.go:1
main lock mu m.go:2
main unlock mu m.go:3
a lock mu m.go:10
a condwait cv m.go:11
a unlock mu m.go:11
a block cv=0/16 m.go:11
main signal cv m.go:4
main lock mu m.go:5
outcome panic main "panic: x" m.go:6
`)
	for _, pl := range p.Places {
		if pl.Kind == points.CondWake && pl.Line == 11 {
			return
		}
	}
	t.Errorf("no point after the wait:\n%s%v", p.Steps, p.Places)
}

// What waited for a step without a point waits for what that waited for, but not for its
// own goroutine.
func TestLeaveOutOfOneGoroutine(t *testing.T) {
	steps, err := breakpoints.Parse("step a / 1 1 c;step b / 2 1;step c /1#1 3 1 b d;step d /2#1 4 1")
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Steps: steps}
	p.leaveOut([]points.Skip{{Place: points.Place{ID: 3, Kind: points.At}, Reason: "none"}})
	if got := p.Steps.String(); got != "step a / 1 1 d\nstep b / 2 1\nstep d /2#1 4 1\n" {
		t.Errorf("got\n%s", got)
	}
}

// Steps of one statement arrive in one visit, if the first of them comes first.
func TestJoinVisits(t *testing.T) {
	steps, err := breakpoints.Parse("step a / 1 1;step b / 2 1;step c / 1 1;step d / 3 1")
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Steps: steps, goesOn: map[string]bool{"b": true, "d": true}}
	p.joinVisits([][]int{{1, 2}})
	if got := p.Steps.String(); got != "step a / 1 1\nstep b / 2 0\nstep c / 1 1\nstep d / 3 1\n" {
		t.Errorf("got\n%s", got)
	}
}

// The function of a timer runs in a goroutine with a role of its own.
func TestTimersHaveRoles(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{}, {ID: 1}, {ID: 2, Parent: 1, Index: 1<<31 | 1}, {ID: 3, Parent: 1, Index: 1<<31 | 1}}}
	n := newNumbering(tr)
	if a, b := n.role(2), n.role(3); n.role(1) != "/" || a != breakpoints.TimerRole+"1" || b != breakpoints.TimerRole+"2" {
		t.Errorf("roles %s, %s and %s", n.role(1), a, b)
	}
}
