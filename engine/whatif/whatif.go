// Package whatif runs the program of a finding without one of the switches or orders of
// its failing run, and counts how often it fails all the same.
//
// Invariants:
//   - Only runs of the program count, and of these only those that really lack the switch
//     or the order.
//   - What is left out is that of the step-by-step view (projection.Walk): numbers are its.
//   - Sources in which the finding's schedule leads elsewhere are refused.
package whatif

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// DefaultRuns is how many runs without the switch or order are counted.
const DefaultRuns = 20

// Options say what is left out. One of Switch and Order is set.
type Options struct {
	Dir    string // "" is the current folder
	ID     string // of the finding, or the start of one
	Switch int    // its number, from 1
	Order  int    // the same of an order
	Runs   int    // 0 = DefaultRuns
}

// Answer says how often the program failed without it.
type Answer struct {
	ID      string `json:"id"`
	Without string `json:"without"` // what was left out, in words
	Runs    int    `json:"runs"`    // without it
	Failed  int    `json:"failed"`  // in the same way
	Orders  int    `json:"orders"`  // different ones among the runs
	Note    string `json:"note"`    // one line, "" if there is nothing to add
}

// Line says in one line what was counted: "without switch 2 (a to b), 0 of 20 runs
// failed, in 7 orders".
func (a *Answer) Line() string {
	switch {
	case a.Runs == 0:
		return "nothing is known without " + a.Without
	case a.Orders == 1 && a.Runs > 1:
		return fmt.Sprintf("without %s, %d of %s failed, all in the same order", a.Without, a.Failed, words.Count(a.Runs, "run"))
	}
	return fmt.Sprintf("without %s, %d of %s failed, in %s", a.Without, a.Failed, words.Count(a.Runs, "run"), words.Count(a.Orders, "order"))
}

// Ask leaves a switch or an order out. When ctx ends, what was counted is returned.
func Ask(ctx context.Context, opt Options, tell progress.Func) (*Answer, error) {
	if opt.Runs == 0 {
		opt.Runs = DefaultRuns
	}
	if tell == nil {
		tell = func(progress.Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	a, err := stored.Open(ctx, opt.Dir, opt.ID)
	if err != nil {
		return nil, err
	}
	q := &question{Opened: a, opt: opt, tell: tell}
	if err := q.find(); err != nil {
		return nil, err
	}
	st, err := ladder.NewStages(a.Env)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	q.report(progress.Building, 0)
	if err := a.Locate(ctx); err != nil {
		return nil, err
	}
	runner, err := st.Build(ctx, a.Target, a.Record.Flags)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", a.Record.Package, err)
	}
	return q.answer(ctx, runner)
}

// question is what is asked, found in the failing run.
type question struct {
	*stored.Opened
	opt     Options
	tell    progress.Func
	without string
	segment int           // of the switch, -1 for an order
	order   cause.Literal // if that is asked for
	hash    uint64        // of the failing run
}

func (q *question) report(phase progress.Phase, runs int) {
	q.tell(progress.Update{Phase: phase, Target: q.Record.Package + " " + q.Record.Entry, Targets: 1, Schedules: runs, Planned: q.opt.Runs, Left: -1})
}

func (q *question) find() error {
	w, err := q.Walk()
	if err != nil {
		return err
	}
	fail, err := q.Failing()
	if err != nil {
		return err
	}
	q.hash, q.segment = fail.Hash, -1
	id, switches, orders := q.Record.Finding.ID, w.Switches(), w.Orders()
	switch {
	case q.opt.Switch > 0 && q.opt.Switch <= len(switches):
		s := switches[q.opt.Switch-1]
		q.segment, q.without = s.Segment, fmt.Sprintf("switch %d (%s to %s)", s.Number, s.From, s.To)
		return nil
	case q.opt.Switch > 0:
		return fmt.Errorf("finding %s has %s; there is no switch %d", id, words.CountOf(len(switches), "switch", "switches"), q.opt.Switch)
	}
	for _, o := range orders {
		if o.Number == q.opt.Order {
			q.order, q.without = cause.Literal{Before: o.Events[0], After: o.Events[1]}, orderWords(w, o)
			return nil
		}
	}
	return fmt.Errorf("finding %s has %s; there is no order %d", id, words.Count(len(orders), "order"), q.opt.Order)
}

// orderWords say what came before what: "order 1 (pool.go:20 before pool.go:12)".
func orderWords(w *projection.Walk, o projection.WalkOrder) string {
	at := map[int]string{}
	for _, s := range w.View(nil).Failing {
		if !s.IsFold() {
			at[s.Number] = fmt.Sprintf("%s:%d", s.File, s.Line)
		}
	}
	return fmt.Sprintf("order %d (%s before %s)", o.Number, at[o.Before], at[o.After])
}

// attempts is how often the failing run is looked for: what the system does outside may
// lead to other steps now and then.
const attempts = 3

// answer runs the program.
func (q *question) answer(ctx context.Context, runner run.Runner) (*Answer, error) {
	same := func(r *run.Result) bool { return run.FailsAs(r, q.Record.Signature) }
	out := &Answer{ID: q.Record.Finding.ID, Without: q.without}
	failing, err := q.again(ctx, runner, same)
	if err != nil {
		if ctx.Err() != nil {
			out.Note = "interrupted before the first run"
			return out, nil
		}
		return nil, err
	}
	watched := &counting{Runner: runner, done: func(n int) { q.report(progress.Replaying, min(n, q.opt.Runs)) }}
	if q.segment < 0 {
		c, err := cause.Otherwise(ctx, watched, failing, q.order, q.opt.Runs, cause.Options{Same: same})
		if err != nil {
			return nil, err
		}
		out.Runs, out.Failed, out.Orders = c.Runs, c.Failed, c.Orders
		out.Note = noteOf(ctx, c.Runs, q.opt.Runs, fmt.Sprintf("in all of %s the order was the same: the program may enforce it", words.Count(c.Made, "run")))
		return out, nil
	}
	e, err := reduce.Without(ctx, watched, failing, q.segment, same, q.opt.Runs, reduce.Options{Replays: triesFor * q.opt.Runs})
	if errors.Is(err, reduce.ErrNoSwitch) {
		return nil, fmt.Errorf("finding %s: %s can't be left out: a timer made it", out.ID, q.without)
	}
	if err != nil {
		return nil, fmt.Errorf("without %s: %w", q.without, err)
	}
	out.Runs, out.Failed, out.Orders = e.Runs, e.Failed, e.Orders
	out.Note = noteOf(ctx, e.Runs, q.opt.Runs, "nothing else can run there: every run made the switch after all")
	return out, nil
}

// triesFor is how many runs are made at most for each that is counted.
const triesFor = 4

func noteOf(ctx context.Context, runs, asked int, none string) string {
	switch {
	case ctx.Err() != nil:
		return "interrupted"
	case runs == 0:
		return none
	case runs < asked:
		return fmt.Sprintf("only %s could be made without it", words.Count(runs, "run"))
	}
	return ""
}

// again makes the failing run once more, recorded in full.
func (q *question) again(ctx context.Context, runner run.Runner, same func(*run.Result) bool) (*run.Result, error) {
	for range attempts {
		r, err := runner.Run(ctx, run.Spec{Strategy: run.Replay, Schedule: q.Record.Schedule, Record: run.Full})
		if err != nil {
			return nil, err
		}
		if same(r) && r.Trace != nil && r.Trace.Hash == q.hash {
			return r, nil
		}
	}
	return nil, fmt.Errorf("finding %s: its schedule leads elsewhere now, so nothing can be left out of it; run hocket find again", q.Record.Finding.ID)
}

// counting tells how many runs have been made.
type counting struct {
	run.Runner
	done func(n int)
	n    atomic.Int64
}

// Run makes a run and counts it.
func (c *counting) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	r, err := c.Runner.Run(ctx, spec)
	c.done(int(c.n.Add(1)))
	return r, err
}
