package reduce

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Evidence says what happens without one switch of a simplified schedule.
type Evidence struct {
	Switch  int           // index in Simplified.Schedule.Segments of the segment that the switch ends
	From    trace.Segment // who is stopped, and where
	To      uint64        // who runs instead
	Preempt bool          // From could have gone on
	Runs    int           // runs without the switch
	Failed  int           // those that failed in the same way
	Orders  int           // how many different runs there were among them
	Passing []*run.Result // some that passed, all different, the plainest first
}

// Needed is true if the failure never occurred without the switch.
func (e Evidence) Needed() bool { return e.Runs > 0 && e.Failed == 0 }

// keepPassing bounds Evidence.Passing.
const keepPassing = 8

// Necessity measures for each switch of a simplified schedule whether the
// failure still happens without it. Up to the switch the schedule is kept;
// there the goroutine goes on until it blocks, ends, or reaches the next
// position at which the schedule stops it (after a switch that was not a
// preemption, another goroutine goes on instead). What follows is varied: once
// as scheduled, then in other orders of the rest. Runs that make the switch
// after all are not counted. A small program may have few different ones:
// Orders says how many.
func Necessity(ctx context.Context, runner run.Runner, s *Simplified, same func(*run.Result) bool, runs int, opt Options) ([]Evidence, error) {
	n := &necessity{lab: newLab(ctx, runner, opt), s: s, same: same}
	var all []Evidence
	for i := range s.Schedule.Segments {
		e, ok := n.switchAt(i)
		if !ok {
			continue
		}
		if err := n.measure(&e, runs); err != nil {
			return all, fmt.Errorf("necessity of switch %d: %w", i, err)
		}
		all = append(all, e)
		if n.out {
			break
		}
	}
	return all, nil
}

// ErrNoSwitch means that a run makes no switch there that could be left out.
var ErrNoSwitch = errors.New("the run makes no switch there that could be left out")

// Without measures one switch of a run, as Necessity does: the one that ends the segment
// of that index in r.Schedule. If the budget or ctx ends, what was measured is returned.
func Without(ctx context.Context, runner run.Runner, r *run.Result, segment int, same func(*run.Result) bool, runs int, opt Options) (Evidence, error) {
	n := &necessity{lab: newLab(ctx, runner, opt), s: &Simplified{Schedule: r.Schedule, Result: r}, same: same}
	if segment < 0 || segment >= len(r.Schedule.Segments) {
		return Evidence{}, ErrNoSwitch
	}
	e, ok := n.switchAt(segment)
	if !ok {
		return Evidence{}, ErrNoSwitch
	}
	if err := n.measure(&e, runs); err != nil && ctx.Err() == nil {
		return e, err
	}
	return e, nil
}

type necessity struct {
	*lab
	s    *Simplified
	same func(*run.Result) bool
}

// switchAt describes the switch after the asked segment i, which the run made
// exactly so: a simplified schedule is a prefix of what was run.
func (n *necessity) switchAt(i int) (Evidence, bool) {
	ran := n.s.Result.Schedule.Segments
	if i+1 >= len(ran) || ran[i].G == ran[i+1].G || ran[i].Timer || ran[i+1].Timer {
		return Evidence{}, false
	}
	return Evidence{
		Switch: i, From: ran[i], To: ran[i+1].G, Preempt: n.s.Result.EndOf(i) == run.Preempted,
	}, true
}

func (n *necessity) measure(e *Evidence, runs int) error {
	rng := rand.New(rand.NewPCG(uint64(e.Switch), 0x6e6563))
	seen := map[uint64]bool{}
	for tried := 0; e.Runs < runs && tried < 4*runs; {
		if e.Runs == 0 && tried >= runs {
			break // nothing else can run there
		}
		specs := make([]run.Spec, min(n.workers, runs-e.Runs))
		for i := range specs {
			specs[i] = n.variant(*e, tried, rng)
			tried++
		}
		results := n.each(specs)
		if results == nil {
			return n.err
		}
		for _, r := range results {
			if !madeSwitch(r, *e) {
				e.add(r, n.same(r), n.passes(r), !seen[r.Hash])
				seen[r.Hash] = true
			}
		}
	}
	return nil
}

func (e *Evidence) add(r *run.Result, same, passed, isNew bool) {
	e.Runs++
	if same {
		e.Failed++
	}
	if !isNew {
		return
	}
	e.Orders++
	if passed && !same && len(e.Passing) < keepPassing {
		e.Passing = append(e.Passing, r)
	}
}

// variant is the run without the switch: 0 as plain as possible, the others with the
// rest shuffled and with the rest at random, in turn. Shuffling stays near the failing
// run, but has few results where little is left of it.
func (n *necessity) variant(e Evidence, nr int, rng *rand.Rand) run.Spec {
	ran := n.s.Result.Schedule.Segments
	spec := n.spec(n.s.Result.Schedule)
	if nr == 0 && e.Preempt {
		spec.Schedule.Segments = runOn(n.s.Schedule.Segments, e.Switch)
		return spec
	}
	prefix := slices.Clone(ran[:e.Switch+1])
	if e.Preempt {
		prefix[e.Switch].Until = run.UntilBlocked
		if next := nextOf(ran, e.Switch); next >= 0 {
			prefix[e.Switch].Until = ran[next].Until
		}
	} else if nr > 0 { // nr == 0: let the default rule choose
		prefix = append(prefix, trace.Segment{G: n.another(e, rng), Until: run.UntilBlocked})
	}
	switch {
	case nr == 0:
	case nr%2 == 0:
		spec.Strategy, spec.Seed = run.Random, rng.Uint64()
	default:
		prefix = append(prefix, shuffledRest(ran[e.Switch+1:], rng)...)
	}
	spec.Schedule.Segments = prefix
	return spec
}

// another is a goroutine of the run that is not the one switched to.
func (n *necessity) another(e Evidence, rng *rand.Rand) uint64 {
	var keys []uint64
	for _, s := range n.s.Result.Schedule.Segments {
		if s.G != e.To && !slices.Contains(keys, s.G) {
			keys = append(keys, s.G)
		}
	}
	if len(keys) == 0 {
		return e.From.G
	}
	return keys[rng.IntN(len(keys))]
}

// shuffledRest interleaves the rest of a run at random: each goroutine's
// segments keep their order and are cut once more here and there. Positions
// are absolute, so any interleaving can be asked for.
func shuffledRest(rest []trace.Segment, rng *rand.Rand) []trace.Segment {
	var order []uint64
	queues := map[uint64][]trace.Segment{}
	for _, s := range rest {
		if queues[s.G] == nil {
			order = append(order, s.G)
		} else if q := queues[s.G]; s.Until > q[len(q)-1].Until+1 && rng.IntN(2) == 0 {
			low := q[len(q)-1].Until
			queues[s.G] = append(q, trace.Segment{G: s.G, Until: low + 1 + uint32(rng.IntN(int(min(s.Until-low-1, 1<<20))))})
		}
		queues[s.G] = append(queues[s.G], s)
	}
	var out []trace.Segment
	for len(order) > 0 {
		i := rng.IntN(len(order))
		g := order[i]
		out = append(out, queues[g][0])
		if queues[g] = queues[g][1:]; len(queues[g]) == 0 {
			order = slices.Delete(order, i, i+1)
		}
	}
	return out
}

// madeSwitch reports whether the run made the switch: the same goroutine
// stopped there, and the same one ran next.
func madeSwitch(r *run.Result, e Evidence) bool {
	segs := r.Schedule.Segments
	for i := 0; i+1 < len(segs); i++ {
		if segs[i] == e.From && segs[i+1].G == e.To && (r.EndOf(i) == run.Preempted) == e.Preempt {
			return true
		}
	}
	return false
}
