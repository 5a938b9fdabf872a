package search

import (
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/solvers"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// Orders are what is to be shown to suffice for a failure: in each, an event comes before
// another one.
type Orders struct {
	// Occurrences are, for each order, the events of a run that either side may be. Each
	// event that it is in some schedule is among those of the runs that show it.
	Occurrences func(t *trace.Trace) (before, after [][]int)
	N           int // of orders
	// Failed is set if the failure is a test's: the goroutine (trace.Goroutine.Path) that
	// told so in the failing run, and where it did in another run, -1 if it did not.
	Failed func(t *trace.Trace) (path string, at int)
	Blind  []string // as in Options
}

// Bounds of a proof.
const (
	sufficeRuns    = 400
	sufficeQueries = 4000
	sufficeSteps   = 200_000 // of the solver, for one query
)

// Suffices says whether every schedule that keeps the orders fails. It runs the program
// until its runs cover every schedule, and asks the solver for one that keeps the orders
// and in which main comes to its end; where a test failed, in such a way that the goroutine
// that told so is not known to have done it again. What the answer rests on is in words;
// without a proof these say why there is none.
func Suffices(ctx context.Context, runner run.Runner, base run.Spec, o Orders) (bool, string) {
	if len(o.Blind) > 0 {
		return false, "no trace tells what passes through " + firstOf(o.Blind)
	}
	p := &sufficing{Explore: NewExplore(solvers.Default())}
	if why := p.cover(ctx, runner, base); why != "" {
		return false, why
	}
	ok, why := p.Proved()
	if !ok {
		return false, why
	}
	if why := p.ask(ctx, o); why != "" {
		return false, why
	}
	return true, words.Count(len(p.kept), "run") + " cover every schedule"
}

// sufficing is an exploration that keeps its runs.
type sufficing struct {
	*Explore
	kept []*run.Result // those of the forest, in its order
}

// cover explores the program to its end, and says what hindered it.
func (p *sufficing) cover(ctx context.Context, runner run.Runner, base run.Spec) string {
	for n := range sufficeRuns {
		spec, ok := p.Next(ctx, n)
		for tries := 0; !ok && p.Waits() && ctx.Err() == nil && tries < 2; tries++ {
			spec, ok = p.Next(ctx, n)
		}
		if ctx.Err() != nil {
			return "the time ended"
		}
		if !ok {
			return ""
		}
		full := base
		full.Strategy, full.Record, full.Schedule, full.Seed = spec.Strategy, spec.Record, spec.Schedule, spec.Seed
		r, err := runner.Run(ctx, full)
		switch {
		case err != nil:
			return "a run could not be made"
		case r.Collects:
			return "when memory is collected decides, too"
		case r.Trace == nil || r.Trace.Truncated || r.Hang || r.Loose || r.Outcome.Cut || r.Outcome.Kind == trace.StepLimit || r.Outcome.Kind == trace.InternalErr:
			return "a run came to no end"
		}
		hot, before := len(p.hot), p.forest.Runs()
		p.Observe(spec, r)
		if len(p.hot) != hot {
			p.kept = nil // the exploration has begun anew
		} else if p.forest.Runs() > before {
			p.kept = append(p.kept, r)
		}
	}
	return "the space is too large to be covered"
}

// ask looks for a schedule that keeps the orders and ends well.
func (p *sufficing) ask(ctx context.Context, o Orders) string {
	sys, _, err := p.forest.SystemContext(ctx)
	if err != nil || p.forest.Runs() != len(p.kept) {
		return "the time ended"
	}
	edges := p.edges(o)
	if len(edges) != o.N {
		return "an order is about what the solver does not know"
	}
	var choices [][]constraint.Goal
	for _, list := range edges {
		var ways []constraint.Goal
		for _, e := range list {
			ways = append(ways, constraint.Goal{Order: []constraint.Edge{e}})
		}
		choices = append(choices, ways)
	}
	choices = append(choices, p.ends(sys))
	if o.Failed != nil {
		choices = append(choices, p.unfailed(sys, o))
	}
	for _, c := range choices {
		if len(c) == 0 {
			return "an end or an order is none of what the solver knows"
		}
	}
	session, err := solvers.Default().New(sys)
	if err != nil {
		return err.Error()
	}
	defer session.Close()
	q := &queries{ctx: ctx, session: session}
	return q.ask(constraint.Goal{Name: "the orders and an end"}, choices)
}

// queries are those of one proof.
type queries struct {
	ctx     context.Context
	session solve.Session
	n       int
}

// ask says why one of each of the choices may be possible together, "" if none is.
func (q *queries) ask(goal constraint.Goal, choices [][]constraint.Goal) string {
	if len(goal.Order)+len(goal.Include)+len(goal.Stop) > 0 {
		if q.n++; q.n > sufficeQueries {
			return "there are too many ways in which the orders can be kept"
		}
		switch res, err := q.check(goal); {
		case err != nil:
			return err.Error()
		case res.Status == solve.Unsat:
			return ""
		case res.Status != solve.Sat:
			return "the solver gave up"
		case len(choices) == 0:
			return "a schedule may keep the orders and end without a failure"
		}
	}
	for _, c := range choices[0] {
		g := goal
		g.Order, g.Include, g.Stop = slices.Concat(goal.Order, c.Order), slices.Concat(goal.Include, c.Include), slices.Concat(goal.Stop, c.Stop)
		if why := q.ask(g, choices[1:]); why != "" {
			return why
		}
	}
	return ""
}

func (q *queries) check(goal constraint.Goal) (solve.Result, error) {
	q.session.Push()
	defer q.session.Pop()
	return q.session.Check(budget.New(q.ctx, sufficeSteps), goal)
}

// ends are goals, of which each schedule meets one in which main ends the program: what main
// did last is known of all of these.
func (p *sufficing) ends(sys *constraint.System) (out []constraint.Goal) {
	seen := map[constraint.EventID]bool{}
	for i, r := range p.kept {
		switch r.Outcome.Kind {
		case trace.Passed, trace.Leaked, trace.Raced, trace.TestFailed:
		case trace.ExitCode:
			return nil
		default:
			continue
		}
		last := p.lastOf(sys, i, r.Trace.Goroutine(1).Path)
		if last == constraint.NoEvent || exitsElsewhere(r.Trace) {
			return nil
		}
		if !seen[last] {
			seen[last] = true
			out = append(out, constraint.Goal{Include: []constraint.EventID{last}})
		}
	}
	return out
}

// exitsElsewhere reports whether another goroutine than main ended the program.
func exitsElsewhere(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Events, func(e trace.Event) bool { return e.Op == trace.OpExit && e.G != 1 })
}

func (p *sufficing) lastOf(sys *constraint.System, run int, path string) constraint.EventID {
	if own := p.of(sys, run, path); len(own) > 0 {
		return own[len(own)-1]
	}
	return constraint.NoEvent
}

// of are the events of a goroutine in a run, in their order.
func (p *sufficing) of(sys *constraint.System, run int, path string) (own []constraint.EventID) {
	for _, e := range p.forest.Order(run) {
		if sys.Threads[sys.Events[e].Thread].Name == path {
			own = append(own, e)
		}
	}
	return own
}

// unfailed are goals that tell where the goroutine that fails a test may stand, when the
// program ends, without having done so: after each of its operations that is not known to
// come after the failure.
func (p *sufficing) unfailed(sys *constraint.System, o Orders) (out []constraint.Goal) {
	failed, open, follows := map[constraint.EventID]bool{}, map[constraint.EventID]bool{}, map[constraint.EventID]bool{}
	path := ""
	for i, r := range p.kept {
		g, at := o.Failed(r.Trace)
		own, last := p.of(sys, i, g), constraint.NoEvent
		if at >= 0 {
			last = p.forest.Reached(i, keyOf(r.Trace, g), at+1)
		}
		before := slices.Index(own, last) + 1 // of what it did, all before it failed
		if at < 0 {
			before = len(own)
		}
		for k, e := range own {
			failed[e], open[e] = failed[e] || k >= before, open[e] || k < before
			follows[sys.Events[e].Prev] = true
		}
		path = g
	}
	for i := range sys.Events {
		id, e := constraint.EventID(i), &sys.Events[i]
		if sys.Threads[e.Thread].Name != path {
			continue
		}
		if !failed[e.Prev] || open[e.Prev] {
			out = append(out, constraint.Goal{Stop: []constraint.EventID{id}})
		}
		if open[id] && !follows[id] {
			out = append(out, constraint.Goal{Include: []constraint.EventID{id}})
		}
	}
	return out
}

func keyOf(t *trace.Trace, path string) uint64 {
	for i := range t.Goroutines {
		if i > 0 && t.Goroutines[i].Path == path {
			return t.Goroutines[i].Key
		}
	}
	return 0
}

// edges are, for each order, the pairs of events that it can be.
func (p *sufficing) edges(o Orders) (out [][]constraint.Edge) {
	sides := make([][2][]constraint.EventID, o.N)
	for i, r := range p.kept {
		before, after := o.Occurrences(r.Trace)
		for n := range o.N {
			for side, events := range [2][]int{before[n], after[n]} {
				for _, ev := range events {
					e, own := p.forest.At(i, ev)
					if e == constraint.NoEvent || side == 1 && !own {
						return nil // it may come earlier than what the solver knows
					}
					if !slices.Contains(sides[n][side], e) {
						sides[n][side] = append(sides[n][side], e)
					}
				}
			}
		}
	}
	for _, s := range sides {
		var pairs []constraint.Edge
		for _, a := range s[0] {
			for _, b := range s[1] {
				pairs = append(pairs, constraint.Edge{Before: a, After: b})
			}
		}
		out = append(out, pairs)
	}
	return out
}
