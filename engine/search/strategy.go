package search

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Strategy decides which attempts to make. It is used by one goroutine. Embed Base
// for what a strategy does not care about.
type Strategy interface {
	// Next returns the attempt number n (0, 1, 2, ...). It is false if there are
	// none left or, as Waits says then, none yet; and soon after the end of ctx. A
	// strategy that needs whole traces, also of passing runs, sets Spec.Record to
	// Full. Arguments, folder and limits are filled in by the campaign.
	Next(ctx context.Context, n int) (run.Spec, bool)
	// Observe tells how an attempt ended, in the order of the attempts but some of
	// them later than Next was asked for more.
	Observe(spec run.Spec, r *run.Result)
	// Waits is true after Next was false if the next attempt depends on the results
	// of those proposed before, or on the plan that Ready tells of. Once they have
	// been observed, or it is made, Next is asked again.
	Waits() bool
	// Ready is closed when the plan is made that the strategy makes in a goroutine of
	// its own, which is soon after the end of the context given to Next; nil if it
	// makes none.
	Ready() <-chan struct{}
	// Proved is whether no schedule that was not run fails, known when Next has no
	// more, and the reason in a line, for or against; "" if the strategy is not one
	// that proves anything.
	Proved() (proved bool, why string)
	// Foresight is what was predicted so far.
	Foresight() Foresight
	// NoProof gives a reason why nothing will be proved; what was found is.
	NoProof(why string)
	// Origin is where an attempt came from; nil if there is nothing to tell.
	Origin(spec run.Spec) *Origin
}

// Base has the methods of a strategy that learns nothing, waits for nothing, and
// neither proves nor predicts anything.
type Base struct{}

func (Base) Observe(run.Spec, *run.Result) {}
func (Base) Waits() bool                   { return false }
func (Base) Ready() <-chan struct{}        { return nil }
func (Base) Proved() (bool, string)        { return false, "" }
func (Base) Foresight() Foresight          { return Foresight{} }
func (Base) NoProof(string)                {}
func (Base) Origin(run.Spec) *Origin       { return nil }

// observed is what the random strategies learn from results.
type observed struct {
	Base
	hot   []string // racing places, sorted
	all   bool     // of them are kept, not only hotLimit
	steps int      // longest run seen, that was not cut off by real time
	// collects: when the collector runs is a choice.
	collects bool
}

// hotLimit bounds how many racing places become switch points.
const hotLimit = 128

// Observe implements Strategy.
func (o *observed) Observe(_ run.Spec, r *run.Result) {
	if !r.Hang {
		o.steps = max(o.steps, r.Steps)
	}
	o.collects = o.collects || r.Collects
	for _, p := range r.Races {
		if !inUserCode(p) || len(o.hot) >= hotLimit && !o.all {
			continue
		}
		for _, site := range []string{p.FirstSite, p.SecondSite} {
			if at, ok := slices.BinarySearch(o.hot, site); !ok && site != "" {
				o.hot = slices.Insert(o.hot, at, site)
			}
		}
	}
}

// clockSteps are the virtual times that pass at a switch point. Time that only
// passes when all are idle hides bugs that tickers and timeouts need.
var clockSteps = [...]int64{0, 200, 2000}

// stream is the random stream of attempt n alone, so that an attempt does not
// depend on what was drawn for others.
func stream(seed uint64, n int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(n))) }

// vary draws what a schedule holds besides the order: clock step, seeds, and
// in half of the attempts the racing places as switch points.
func (o *observed) vary(rng *rand.Rand) trace.Schedule {
	s := trace.Schedule{ClockStep: clockSteps[rng.IntN(len(clockSteps))], SelectSeed: rng.Uint64()}
	if rng.IntN(4) == 0 {
		s.InputSeed = rng.Uint64()
	}
	if hot := rng.IntN(2) == 0; hot && len(o.hot) > 0 {
		s.Hot = slices.Clone(o.hot)
	}
	return s
}

// collections draws the switch points before which the collector runs: none in
// half of the attempts.
func (o *observed) collections(rng *rand.Rand) (at []int) {
	if !o.collects || rng.IntN(2) == 0 {
		return nil
	}
	for range 1 + rng.IntN(run.MaxCollect) {
		at = append(at, 1+rng.IntN(max(o.steps, 1)))
	}
	return at
}

// plain is the first attempt of every random strategy: no preemption at all.
func plain() run.Spec { return run.Spec{Strategy: run.Replay} }
