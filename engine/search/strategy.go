package search

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Strategy decides which attempts to make. It is used by one goroutine.
//
// Next returns the attempt number n (0, 1, 2, ...), or false if there are none
// left. Observe tells how an attempt ended, in the order of the attempts but
// some of them later than Next was asked for more. A strategy that needs whole
// traces, also of passing runs, sets Spec.Record to Full. Arguments, folder
// and limits are filled in by the campaign.
type Strategy interface {
	Next(n int) (run.Spec, bool)
	Observe(spec run.Spec, r *run.Result)
}

// Waiter is a Strategy that may need the results of all attempts proposed before
// it can say more: Next returns false then, and Waits true. Once they have been
// observed Next is asked again. Next may take long: it returns soon after the
// end of the context given last.
type Waiter interface {
	Strategy
	Within(ctx context.Context)
	Waits() bool
}

// Thinker is a Waiter that may go on thinking between calls. Ready is a channel
// that is closed when it has finished, which is soon after the end of the context
// given last; nil if it does not think. While it does, Waits says that Next needs
// what comes of that, and not the results of attempts.
type Thinker interface {
	Waiter
	Ready() <-chan struct{}
}

// Prover is a Strategy that may know, when Next has no more, that no schedule
// fails that was not run. Proved gives the reason in a line, for or against.
type Prover interface {
	Strategy
	Proved() (bool, string)
}

// doubter is a Prover that can be given a reason why nothing will be proved.
type doubter interface{ Doubt(why string) }

// observed is what the random strategies learn from results.
type observed struct {
	hot   []uint64 // racing places, sorted
	steps int      // longest run seen that ended by itself
}

// hotLimit bounds how many racing places become switch points.
const hotLimit = 128

func (o *observed) Observe(_ run.Spec, r *run.Result) {
	if !r.Hang && r.Outcome.Kind != trace.StepLimit {
		o.steps = max(o.steps, r.Steps)
	}
	for _, p := range r.Races {
		if !inUserCode(p) || len(o.hot) >= hotLimit {
			continue
		}
		for _, pc := range []uint64{p.FirstPC, p.SecondPC} {
			if at, ok := slices.BinarySearch(o.hot, pc); !ok && pc != 0 {
				o.hot = slices.Insert(o.hot, at, pc)
			}
		}
	}
}

// clockSteps are the virtual times that pass at a switch point. Time that only
// passes when all are idle hides bugs that tickers and time-outs need.
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
		s.HotPCs = slices.Clone(o.hot)
	}
	return s
}

// plain is the first attempt of every random strategy: no preemption at all.
func plain() run.Spec { return run.Spec{Strategy: run.Replay} }
