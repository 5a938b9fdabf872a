package fewest

import (
	"context"
	"fmt"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/switches"
)

// Options bound the work.
type Options struct {
	Base   run.Spec      // arguments, folder, environment and limits of each run
	Budget time.Duration // real time; 0 = no limit
	Runs   int           // of the program; 0 = 60
	// Places, of deadlocks and leaks: goroutines wait at all of these, as
	// run.BlockedPlaces names them, whenever a run fails in the same way. nil:
	// not known.
	Places []string
}

// Best is the best failing run known.
type Best struct {
	Run    *run.Result
	Counts run.Counts
	Proved bool   // no schedule that fails in this way has fewer preemptions
	Why    string // it is not proved
	Runs   int    // made
	Solves int    // searches of the model's states
}

// Bounds of what is computed: longer runs are simplified by replaying alone.
const (
	maxSteps  = 5000 // switch points of the failing run
	maxEvents = 20_000
	maxStates = 60_000 // of one search
	maxRuns   = 60
)

// Of looks for a run that fails as same says with fewer preemptions than
// failing, and tries to prove that there is none with fewer than that. When the
// budget ends or ctx is cancelled the best so far is returned.
func Of(ctx context.Context, runner run.Runner, failing *run.Result, same func(*run.Result) bool, opt Options) *Best {
	if opt.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Budget)
		defer cancel()
	}
	if opt.Runs == 0 {
		opt.Runs = maxRuns
	}
	f := &finder{
		ctx: ctx, runner: runner, same: same, opt: opt, forest: forest.New(), tried: map[string]bool{}, sites: map[string]map[string]bool{},
		best: Best{Run: failing, Counts: run.CountsOf(failing)},
	}
	switch {
	case f.best.Counts.Preemptions == 0:
		f.best.Proved = true
	case failing.Steps > maxSteps:
		f.best.Why = fmt.Sprintf("the failing run has more than %d steps", maxSteps)
	default:
		f.best.Why = f.work()
		f.best.Proved = f.best.Why == ""
	}
	return &f.best
}

// finder keeps what is known.
type finder struct {
	ctx    context.Context
	runner run.Runner
	same   func(*run.Result) bool
	opt    Options
	forest *forest.Forest
	ends   []end // of the runs in the forest that fail in the same way
	yields bool  // a goroutine lets others go on: a switch that costs nothing
	tried  map[string]bool
	sites  map[string]map[string]bool // by place in the user's code: of operations there
	best   Best
}

// work returns why the best is not proved to be so, "" if it is.
func (f *finder) work() string {
	first, why := f.run(f.best.Run.Schedule)
	switch {
	case first == nil:
		return why
	case !f.same(first):
		return "the failing schedule did not fail again"
	case len(first.Trace.Events) > maxEvents:
		return fmt.Sprintf("the failing run has more than %d events", maxEvents)
	}
	if _, why := f.add(first); why != "" {
		return why
	}
	sys, _ := f.forest.System()
	if goal, start := f.shown(sys, 0, append(f.goals(sys, f.ends[0]), f.proofGoals(sys)...)); start != nil {
		f.best.Solves++
		f.try(switches.Fewest(budget.New(f.ctx, maxStates), sys, goal, start))
	}
	return f.prove()
}

// prove looks at all schedules with fewer preemptions than the best, until it
// knows them all.
func (f *finder) prove() string {
	for f.best.Counts.Preemptions > 0 {
		if why := f.doubt(); why != "" {
			return why
		}
		sys, front := f.forest.System()
		next, fails, why := f.next(sys, front)
		if why != "" || next == nil {
			return why
		}
		before := f.best.Counts.Preemptions
		fresh, why := f.try(next)
		if why != "" {
			return why
		}
		if fresh == 0 && f.best.Counts.Preemptions == before {
			if fails {
				return "a schedule with fewer should fail, but the program does not follow it"
			}
			return "the program does not follow a schedule that should be possible"
		}
	}
	return ""
}

// next is a schedule with fewer preemptions than the best that should fail, or
// one that shows something new; nil if there is none.
func (f *finder) next(sys *constraint.System, front []forest.Frontier) (short *switches.Short, fails bool, why string) {
	few := f.best.Counts.Preemptions - 1
	goals := f.proofGoals(sys)
	for i := range f.ends {
		if _, start := f.shown(sys, i, goals); start == nil {
			return nil, false, "the model does not show the failure"
		}
	}
	for _, g := range goals {
		f.best.Solves++
		short, exhausted := switches.AtMost(budget.New(f.ctx, maxStates), sys, g, few)
		if short != nil {
			return short, true, ""
		} else if !exhausted {
			return nil, false, f.tooMany(few)
		}
	}
	unknown := make([]bool, len(sys.Events))
	for _, fr := range front {
		if !fr.Failure {
			for _, e := range fr.Goal.Include {
				unknown[e] = true
			}
		}
	}
	f.best.Solves++
	short, exhausted := switches.Beyond(budget.New(f.ctx, maxStates), sys, func(e constraint.EventID) bool { return unknown[e] }, few)
	if short == nil && !exhausted {
		return nil, false, f.tooMany(few)
	}
	return short, false, ""
}

func (f *finder) tooMany(preemptions int) string {
	if f.ctx.Err() != nil {
		return timeEnded
	}
	return fmt.Sprintf("there are too many schedules with at most %d preemptions", preemptions)
}

// doubt says why no proof is possible.
func (f *finder) doubt() string {
	if f.yields {
		return "goroutines let others go on by themselves"
	}
	if why := f.forest.Incomplete(); len(why) > 0 {
		return why[0]
	}
	return ""
}

// shown is the goal that a run in the forest reaches, with its own schedule;
// nil if the model does not say so.
func (f *finder) shown(sys *constraint.System, n int, goals []constraint.Goal) (constraint.Goal, *constraint.Schedule) {
	order := f.forest.Order(f.ends[n].run)
	for _, g := range goals {
		if sch, why := solve.Accept(sys, order, g, nil); why == "" {
			return g, sch
		}
	}
	return constraint.Goal{}, nil
}
