package cause_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

// tally is what was found of the programs of one shape.
type tally struct {
	programs, settled, orders int
	insufficient              int // a passing run has all orders of the core
	needless                  int // no passing run lacks an order alone
	untold                    int // an order of the core is none of the explanation's
	overtold                  int // the orders that are told do not suffice
	equal                     int // rows that read the same in both columns
	silent                    int // no sentence
	rows                      []int
	why                       map[string]int
}

// passes is true of runs that count as passing: a race that changed nothing is none.
func passes(r *run.Result) bool {
	return r.Outcome.Kind == trace.Passed || r.Outcome.Kind == trace.Raced
}

// TestShapesAgainstAllRuns compares cause and explanation of random programs of the
// shapes that bugs have with all of their runs.
func TestShapesAgainstAllRuns(t *testing.T) {
	tallies := make([]tally, len(shapes))
	wrong := 0
	for n, seed := 0, uint64(0); n < max(*programs, 2*len(shapes)); seed++ {
		shape := int(seed) % len(shapes)
		if compare(t, shape, seed, &tallies[shape], &wrong) {
			n++
		}
	}
	var all tally
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-18s programs settled orders  not sufficient  needless  untold  told too few  rows median most  equal columns  no sentence\n", "")
	for i := range tallies {
		tallies[i].print(&b, shapes[i].name)
		all.add(&tallies[i])
	}
	all.print(&b, "all")
	t.Log(b.String())
	// Thirty runs that have a cause and fail don't prove it: one in a hundred may be too few.
	if all.insufficient*100 > all.settled || all.needless+all.overtold+all.silent > 0 || all.settled*10 < all.programs*9 || all.equal*10 > all.settled {
		t.Error("causes or rows are wrong, or too few are settled")
	}
}

func (y *tally) add(o *tally) {
	y.programs, y.settled, y.orders = y.programs+o.programs, y.settled+o.settled, y.orders+o.orders
	y.insufficient, y.needless, y.untold, y.overtold = y.insufficient+o.insufficient, y.needless+o.needless, y.untold+o.untold, y.overtold+o.overtold
	y.equal, y.silent, y.rows = y.equal+o.equal, y.silent+o.silent, append(y.rows, o.rows...)
	for w, n := range o.why {
		y.unsettled(w, n)
	}
}

func (y *tally) unsettled(why string, n int) {
	if y.why == nil {
		y.why = map[string]int{}
	}
	y.why[why] += n
}

func (y *tally) print(b *strings.Builder, name string) {
	if y.programs == 0 {
		return
	}
	median, most := 0, 0
	if len(y.rows) > 0 {
		slices.Sort(y.rows)
		median, most = y.rows[len(y.rows)/2], y.rows[len(y.rows)-1]
	}
	fmt.Fprintf(b, "%-18s %8d %7d %6d %15d %9d %7d %13d %12d %4d %14d %12d", name, y.programs, y.settled, y.orders, y.insufficient, y.needless, y.untold, y.overtold, median, most, y.equal, y.silent)
	for w, n := range y.why {
		fmt.Fprintf(b, "  %d: %s", n, w)
	}
	b.WriteByte('\n')
}

// compare looks into one program; false if it has no bug or too many runs.
func compare(t *testing.T, shape int, seed uint64, y *tally, wrong *int) bool {
	rng := rand.New(rand.NewPCG(seed, 13))
	p := makeProgram(shape, rng)
	base := run.Spec{Schedule: trace.Schedule{ClockStep: p.clock, Hot: p.hot}}
	all := every(t, 5000, func(d *sim.Decider) run.Runner { r := sim.New(p.main); r.Decide = d; return r }, base)
	var fails *run.Result
	var good []*run.Result
	for _, r := range all {
		if r.Failed() && (fails == nil || rng.IntN(3) == 0) {
			fails = r
		}
		if passes(r) {
			good = append(good, r)
		}
	}
	if fails == nil || len(good) == 0 {
		return false
	}
	y.programs++
	sig := run.SignatureOf(fails)
	c, err := cause.Find(context.Background(), sim.New(p.main), fails, cause.Options{Base: base, Seed: seed, Passes: passes,
		Same: func(r *run.Result) bool { return r.Failed() && run.SignatureOf(r) == sig }})
	if err != nil {
		t.Fatal(err)
	}
	report := func(what string) {
		if *wrong++; *wrong <= 8 {
			x := explain(fails, c)
			var events strings.Builder
			if err := trace.Print(&events, fails.Trace); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, seed %d, %v: %s\ncore %v of\n%s%s\n%+v", shapes[shape].name, seed, sig, what, c.Core, events.String(), x.Text(), x.Cause)
		}
	}
	if !c.Settled() {
		y.unsettled(c.Why, 1)
		for _, r := range good {
			if c.Refuted && len(c.Broken(r.Trace)) == 0 {
				var events strings.Builder
				_ = trace.Print(&events, r.Trace)
				report(c.Why + "\n" + events.String())
				break
			}
		}
		return true
	}
	y.settled++
	y.orders += len(c.Core)
	if !suffices(c, good) {
		y.insufficient++
		report("a passing run breaks none of the orders")
		return true
	}
	for i := range c.Core {
		if !slices.ContainsFunc(good, func(r *run.Result) bool { return slices.Equal(c.Broken(r.Trace), []int{i}) }) {
			y.needless++
			report(fmt.Sprintf("no passing run breaks order %d alone", i))
			break
		}
	}
	y.explained(explain(fails, c), c, good, report)
	return true
}

func explain(fails *run.Result, c *cause.Cause) *projection.Projection {
	return projection.Project(projection.Input{Fail: fails.Trace, Pass: c.Late, Cause: c})
}

func suffices(c *cause.Cause, good []*run.Result) bool {
	return !slices.ContainsFunc(good, func(r *run.Result) bool { return len(c.Broken(r.Trace)) == 0 })
}

// explained looks at the rows: what is told suffices, and each differs from the
// passing run.
func (y *tally) explained(x *projection.Projection, c *cause.Cause, good []*run.Result, report func(string)) {
	y.rows = append(y.rows, len(x.RootCause))
	if x.Sentence == "" {
		y.silent++
		report("no sentence")
	}
	for _, r := range x.Rows {
		if r.Failing == r.Passing {
			y.equal++
		}
	}
	if x.Cause == nil {
		y.untold++
		report("no order is told")
		return
	}
	told := *c
	told.Core = nil
	for _, o := range x.Cause.Orders {
		if l, ok := toldLiteral(x, c, o); ok {
			told.Core = append(told.Core, l)
		} else { // a wait that never ends stands for what a passing run does there
			told.Core = append(told.Core, c.Core...)
		}
	}
	if strings.Contains(x.Cause.Note, "further") {
		y.untold++
		report(x.Cause.Note)
		return
	}
	if !suffices(&told, good) {
		y.overtold++
		report(fmt.Sprintf("what is told does not suffice: %v", told.Core))
	}
}

// toldLiteral is the order of two steps of an explanation as a literal.
func toldLiteral(x *projection.Projection, c *cause.Cause, o report.Order) (cause.Literal, bool) {
	after := x.Steps[o.After]
	l := cause.Literal{Before: cause.None, After: after.Event}
	if o.Before >= 0 {
		l.Before = x.Steps[o.Before].Event
	}
	if l.After < 0 || o.Before >= 0 && l.Before < 0 {
		return l, false
	}
	if after.Late {
		l.After, l.Late = cause.Match(x.Pass, c.Late, cause.Counts).To[l.After], true
	}
	return l, true
}
