package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Order says how much of a failing run's order is enforced.
type Order string

const (
	NoOrder    Order = ""
	CoreOrder  Order = "core"     // Request.Core
	WholeOrder Order = "schedule" // all switches
)

// Way is how the ordinary build is run to make it fail.
type Way struct {
	Order        Order
	OneProcessor bool // GOMAXPROCS=1
}

// way is a Way with its plan.
type way struct {
	Way
	plan *Plan // nil: the plain build
}

const (
	tryRuns  = 6               // of each way, to choose one
	lookRuns = 2               // of these, after which one that never fails is given up
	tryTime  = 5 * time.Second // in which ways are tried
	fewRuns  = 20              // are enough if more take too long
	runsTime = 5 * time.Second // is too long
	longRun  = time.Second / 2 // of a program that waits for timers
)

// ways lists how the failure is tried, the best first: few points before many, since
// fewer can't be played as seldom, and all processors before one.
func (req *Request) ways() ([]*way, error) {
	if req.Plan != nil {
		return []*way{{Way{Order: WholeOrder}, req.Plan.clone()}}, nil
	}
	if req.Trace == nil || len(req.Trace.Events) == 0 {
		return nil, fmt.Errorf("derive plan: the trace has no events")
	}
	n := newNumbering(req.Trace)
	var ways []*way
	if len(req.Core)+len(req.Late) > 0 {
		t, edges := withLate(req.Trace, req.Core, req.Late)
		if core := corePlan(t, edges, n); core.Waits > 0 {
			ways = append(ways, &way{Way{Order: CoreOrder}, &core})
		}
	}
	whole, split := wholePlan(req.Trace, n, false)
	ways = append(ways, &way{Way{Order: WholeOrder}, &whole})
	for _, w := range slices.Clone(ways) {
		ways = append(ways, &way{Way{w.Order, true}, w.plan})
	}
	if split {
		early, _ := wholePlan(req.Trace, n, true)
		ways = slices.Insert(ways, len(ways)/2, &way{Way{Order: WholeOrder}, &early})
	}
	for _, w := range ways {
		w.plan.Places = n.places // one build has the points of all
	}
	return append(ways, &way{Way{NoOrder, true}, nil}), nil
}

// plans are those of the ways, each once.
func (p *program) plans() []*Plan {
	var plans []*Plan
	for _, w := range p.ways {
		if w.plan != nil && !slices.Contains(plans, w.plan) {
			plans = append(plans, w.plan)
		}
	}
	return plans
}

// confirm tries the ways, and counts in how many runs the best one fails.
func (p *program) confirm(ctx context.Context) error {
	r := p.rep
	if len(p.ways) == 1 {
		return p.runs(ctx, p.ways[0], p.req.runs())
	}
	best, w, err := p.choose(ctx)
	if err != nil || best == nil {
		return err
	}
	base := r.Baseline
	switch {
	case base.Failed > 0 && base.Failed*best.Runs >= best.Failed*base.Runs: // more often by itself
		r.Plain, r.Runs, r.Failed = true, base.Runs, base.Failed
		return nil
	case best.Failed > 0:
		return p.runs(ctx, w, p.req.runs())
	case best.Played > 0: // to be sure that it does not fail
		return p.runs(ctx, w, min(fewRuns, p.req.runs()))
	}
	best.Baseline, best.Skipped, best.PlainTime = base, r.Skipped, r.PlainTime
	best.Time = median(best.times)
	*r = *best
	return nil
}

// choose runs each way a few times, up to the first that always fails as it was ordered
// to, and returns the one that fails most often, or else could be played most often.
func (p *program) choose(ctx context.Context) (best *Report, chosen *way, err error) {
	start := time.Now()
	for _, w := range p.ways {
		if best != nil && (best.Failed == tryRuns && w.OneProcessor || time.Since(start) > tryTime) {
			break
		}
		if w.plan == nil && (p.judge.NeedsDump() || p.req.Baseline == 0) {
			continue // the plain build was not asked for
		}
		rep, err := p.try(ctx, w)
		if err != nil {
			return nil, nil, err
		}
		if best == nil || rep.better(best) {
			best, chosen = rep, w
		}
		if best.Failed == tryRuns && best.Played == tryRuns {
			break
		}
	}
	return best, chosen, nil
}

// better compares what was tried of two ways.
func (rep *Report) better(other *Report) bool {
	if a, b := rep.Failed*other.Runs, other.Failed*rep.Runs; a != b {
		return a > b
	}
	return rep.Played*other.Runs > other.Played*rep.Runs
}

// try runs a way a few times.
func (p *program) try(ctx context.Context, w *way) (*Report, error) {
	rep := &Report{Way: w.Way, Plan: p.rep.Plan, Arrived: map[string]int{}}
	if w.plan != nil {
		rep.Plan = w.plan
	}
	n := min(lookRuns, p.req.runs())
	if err := p.count(ctx, w, n, 0, rep); err != nil || rep.Failed == 0 {
		return rep, err
	}
	return rep, p.count(ctx, w, tryRuns-n, 0, rep)
}

// runs runs the program in one way and counts. It ends with the first run that can't be
// made, or with the context, and returns the counts so far in any case.
func (p *program) runs(ctx context.Context, w *way, n int) error {
	p.rep.Sample = "" // of the plain build
	p.rep.Way = w.Way
	if w.plan != nil {
		p.rep.Plan = w.plan
	}
	err := p.count(ctx, w, n, fewRuns, p.rep)
	p.rep.Time = median(p.rep.times)
	return err
}

// count makes n runs, several processes at a time; if enough is not 0, so many are
// enough when they take too long.
func (p *program) count(ctx context.Context, w *way, n, enough int, rep *Report) error {
	start := time.Now()
	parallel := p.req.parallel()
	switch { // most of the time they do nothing
	case w.plan.lateness() > 0 && (p.judge.hangs() || median(slices.Clone(p.rep.times)) > longRun):
		parallel *= 4
	case p.judge.hangs():
		parallel *= 2
	}
	err := sideBySide(ctx, n, parallel, func(ctx context.Context, i int) (*attempt, error) {
		if enough > 0 && i >= enough+parallel && time.Since(start) > runsTime {
			return nil, errEnough
		}
		return p.run(ctx, i, w)
	}, func(_ int, r *attempt) { rep.count(r, p.judge, w.plan) })
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
