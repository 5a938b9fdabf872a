package search

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Aimed leads runs to a state that is known, say from a goroutine dump. Half of its
// attempts hold goroutines at the places where the state has them, until all others
// have come as far as they can (as DeadlockFuzzer does for locks, Joshi et al., PLDI
// 2009, and RaceFuzzer for accesses, Sen, PLDI 2008), or hold one in a function on the
// way to a failure. Some of these follow the run that came nearest, up to some point.
// The other half are those of another strategy, which knows nothing of the state.
//
// Next only looks at what was observed, so that equal seeds and equal results give
// equal attempts.
type Aimed struct {
	observed
	aim   Aim
	seed  uint64
	then  Strategy
	other int             // attempts of then
	mine  map[uint64]bool // seeds of attempts under way that are not then's
	near  []nearRun       // the best so far, the best first
}

// nearRun is a run that came near.
type nearRun struct {
	schedule trace.Schedule
	hash     uint64
	score    float64
	tried    int // attempts that followed it
}

const (
	nearKept = 8
	nearLate = 2 // a prefix is cut in the last part of so many, mostly
	// followLeast is the share of attempts that follow a run, and a third more if that
	// came very near.
	followLeast = 0.25
)

// NewAimed makes a search for a state that goes on beside another strategy.
func NewAimed(aim Aim, seed uint64, then Strategy) *Aimed {
	return &Aimed{aim: aim, seed: seed, then: then, mine: map[uint64]bool{}}
}

// Next implements Strategy.
func (s *Aimed) Next(ctx context.Context, n int) (run.Spec, bool) {
	if n > 0 && n%2 == 1 {
		rng := stream(s.seed^0x61696d6564, n)
		spec := s.attempt(rng, n)
		s.mine[spec.Seed] = true
		return s.recorded(spec), true
	}
	spec, ok := s.then.Next(ctx, s.other)
	if ok {
		s.other++
	}
	return s.recorded(spec), ok
}

// recorded lets an exploration learn from all runs, if they are small.
func (s *Aimed) recorded(spec run.Spec) run.Spec {
	if spec.Record == run.Light && s.steps <= exploreSteps {
		spec.Record = run.Every
	}
	return spec
}

func (s *Aimed) attempt(rng *rand.Rand, n int) run.Spec {
	spec := run.Spec{Strategy: baseOf(rng), Seed: rng.Uint64(), Depth: rng.IntN(maxDepth), Length: max(s.steps, 1), Schedule: s.vary(rng)}
	spec.Schedule.Hot = s.hotPlaces(rng)
	if k := s.follow(rng, n); k >= 0 {
		s.near[k].tried++
		spec.Schedule = cutShort(rng, s.near[k].schedule)
	}
	spec.Hold = s.holds(rng)
	return spec
}

// hotPlaces are those of the state, and now and then those seen racing.
func (s *Aimed) hotPlaces(rng *rand.Rand) []string {
	hot := slices.Clone(s.aim.Hot())
	if rng.IntN(2) == 0 {
		for _, site := range s.hot {
			if at, ok := slices.BinarySearch(hot, site); !ok {
				hot = slices.Insert(hot, at, site)
			}
		}
	}
	return hot
}

// follow takes a run that came near, -1 for none.
func (s *Aimed) follow(rng *rand.Rand, n int) int {
	if n < 2*aimedLag || len(s.near) == 0 || rng.Float64() > followLeast+s.near[0].score/3 {
		return -1
	}
	return draw(rng, len(s.near), func(i int) float64 {
		r := &s.near[i]
		return (0.05 + r.score) * (0.05 + r.score) / float64(1+r.tried)
	})
}

// cutShort is the beginning of a schedule.
func cutShort(rng *rand.Rand, sched trace.Schedule) trace.Schedule {
	sched.Hot = slices.Clone(sched.Hot)
	n := len(sched.Segments)
	from := 0
	if rng.IntN(4) > 0 {
		from = n - n/nearLate
	}
	sched.Segments = slices.Clone(sched.Segments[:from+rng.IntN(max(n-from, 1))])
	return sched
}

// holds draws who is held, and for which arrivals.
func (s *Aimed) holds(rng *rand.Rand) []run.Hold {
	places, ways := s.aim.Holds(), s.aim.Ways()
	var out []run.Hold
	if len(ways) > 0 && (len(places) == 0 || s.aim.Fails() || rng.IntN(3) == 0) {
		h := ways[draw(rng, len(ways), func(i int) float64 { return 1 / float64(1+i) })]
		h.Chance, h.Skip, h.Last = 256, skips(rng), true
		out = append(out, h)
	}
	all := rng.IntN(4) > 0
	for _, h := range places {
		if !all && rng.IntN(3) == 0 {
			continue // one that is late itself
		}
		h.Chance = [...]int{256, 256, 256, 128, 64}[rng.IntN(5)]
		if !h.Lock && !h.Last && rng.IntN(3) > 0 {
			continue // it comes to wait by itself, if nobody else is there in time
		}
		if rng.IntN(3) == 0 {
			h.Skip = skips(rng)
		}
		out = append(out, h)
	}
	return out
}

// skips is mostly small.
func skips(rng *rand.Rand) int {
	n := 0
	for rng.IntN(3) > 0 && n < 64 {
		n = n*2 + rng.IntN(2) + rng.IntN(2)
		if n == 0 {
			break
		}
	}
	return n
}

func baseOf(rng *rand.Rand) run.Strategy {
	return [...]run.Strategy{run.POS, run.POS, run.Random, run.PCT}[rng.IntN(4)]
}

// Observe implements Strategy.
func (s *Aimed) Observe(spec run.Spec, r *run.Result) {
	s.observed.Observe(spec, r)
	if s.mine[spec.Seed] {
		delete(s.mine, spec.Seed)
	} else {
		s.then.Observe(spec, r)
	}
	if m := s.aim.Match(r); m.Score > 0 && !r.Hang && len(r.Schedule.Segments) > 0 {
		s.keep(nearRun{schedule: r.Schedule, hash: r.Hash, score: m.Score})
	}
}

func (s *Aimed) keep(r nearRun) {
	if len(r.schedule.Segments) > segmentsLimit || slices.ContainsFunc(s.near, func(o nearRun) bool { return o.hash == r.hash }) {
		return
	}
	i := len(s.near)
	for i > 0 && s.near[i-1].score < r.score {
		i--
	}
	if s.near = slices.Insert(s.near, i, r); len(s.near) > nearKept {
		s.near = s.near[:nearKept]
	}
}

// Waits implements Strategy.
func (s *Aimed) Waits() bool { return s.then.Waits() }

// Ready implements Strategy.
func (s *Aimed) Ready() <-chan struct{} { return s.then.Ready() }

// Proved implements Strategy.
func (s *Aimed) Proved() (bool, string) { return s.then.Proved() }

// Foresight implements Strategy.
func (s *Aimed) Foresight() Foresight { return s.then.Foresight() }

// NoProof implements Strategy.
func (s *Aimed) NoProof(why string) { s.then.NoProof(why) }
