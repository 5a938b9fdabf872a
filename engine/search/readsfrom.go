package search

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// ReadsFrom is greybox fuzzing of schedules (Wolff, Shi, Duck, Mathur,
// Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024): a run
// that shows a new pair of a write and the read that took its value is kept, and
// later attempts start from it: they follow it up to a rare pair, or with a
// switch more, less or elsewhere, and go on at random. Rare pairs are followed
// most.
//
// Where the paper mutates sets of pairs, which its scheduler tries to bring
// about, here a prefix of a run that showed the pair brings it about for
// certain.
//
// Invariants:
//   - The first attempts, half of the next ones and a quarter of the rest are
//     those of POS with the same seed: an easy bug takes at most twice as many.
//   - Next only looks at what was observed, so that equal seeds and equal
//     results give equal attempts.
type ReadsFrom struct {
	Base
	pos     *POS
	seed    uint64
	corpus  []*seedRun
	fresh   map[uint64]int      // pairs seen, and how many attempts without a parent showed them
	sets    map[uint64]int      // runs that showed a set of pairs, by the set's hash
	parents map[uint64]*seedRun // of attempts under way, by Spec.Seed
}

// seedRun is a run that others start from.
type seedRun struct {
	schedule trace.Schedule
	ends     []run.EndReason
	pairs    []run.ReadsFrom
	news     []int // indexes of the pairs that were new
	set      uint64
	tried    int // observed attempts that started from it
	gained   int // of those, such that showed a new pair
}

const (
	freshFirst    = 24   // attempts before the first mutation
	freshHalf     = 200  // attempts of which half are fresh; then a quarter
	corpusLimit   = 192  // runs kept
	segmentsLimit = 4096 // segments kept of a run
	coldWorth     = 0.25 // of a run without all hot places, beside one with them
	setWorth      = 0.05 // of a run with a new set of pairs but no new pair, beside one with a new pair
)

// NewReadsFrom makes a reads-from-guided search.
func NewReadsFrom(seed uint64) *ReadsFrom {
	return &ReadsFrom{
		pos: NewPOS(seed), seed: seed,
		fresh: map[uint64]int{}, sets: map[uint64]int{}, parents: map[uint64]*seedRun{},
	}
}

// Next implements Strategy.
func (s *ReadsFrom) Next(_ context.Context, n int) (run.Spec, bool) {
	spec := s.attempt(n)
	spec.Pairs = true
	return spec, true
}

func (s *ReadsFrom) attempt(n int) run.Spec {
	if n == 0 {
		return plain()
	}
	if n < freshFirst || n%2 == 1 && n < freshHalf || n%4 == 1 {
		return s.pos.spec(n)
	}
	rng := stream(^s.seed, n)
	parent := s.pick(rng)
	if parent == nil {
		return s.pos.spec(n)
	}
	spec := run.Spec{Strategy: strategyAfter(rng), Seed: rng.Uint64(), Depth: rng.IntN(maxDepth), Length: max(s.pos.steps, 1)}
	spec.Schedule = s.mutate(rng, parent)
	s.parents[spec.Seed] = parent
	return spec
}

// strategyAfter draws who decides after the part that is known.
func strategyAfter(rng *rand.Rand) run.Strategy {
	switch k := rng.IntN(10); {
	case k < 7:
		return run.POS
	case k < 9:
		return run.Random
	}
	return run.PCT
}

// Observe implements Strategy.
func (s *ReadsFrom) Observe(spec run.Spec, r *run.Result) {
	s.pos.Observe(spec, r)
	parent := s.parents[spec.Seed]
	delete(s.parents, spec.Seed)
	if parent != nil {
		parent.tried++
	}
	run := &seedRun{schedule: r.Schedule, ends: r.Ends, pairs: r.Pairs, set: 14695981039346656037}
	own := 1
	if parent != nil {
		own = 0
	}
	for i, p := range r.Pairs {
		for _, id := range times(p) {
			if _, known := s.fresh[id]; !known && !slices.Contains(run.news, i) {
				run.news = append(run.news, i)
			}
			s.fresh[id] += own
			run.set = (run.set ^ id) * 1099511628211
		}
	}
	s.sets[run.set]++
	if parent != nil && len(run.news) > 0 {
		parent.gained++
	}
	if worthGoingOn(r) && (len(run.news) > 0 || s.sets[run.set] == 1) {
		s.keep(run)
	}
}

// times makes an id of each number of times up to the pair's: a pair that comes
// more often than ever is new, one that comes less often is not.
func times(p run.ReadsFrom) []uint64 {
	ids := make([]uint64, 0, 4)
	for n := 1; n <= p.Times; n *= 2 {
		ids = append(ids, p.ID*uint64(2*n+1))
	}
	return ids
}

// worthGoingOn is false of runs that fail: what starts from one fails as well.
func worthGoingOn(r *run.Result) bool {
	switch r.Outcome.Kind {
	case trace.Passed, trace.Raced, trace.Leaked:
		return r.Finished() && len(r.Schedule.Segments) > 0 && len(r.Pairs) > 0
	}
	return false
}

// keep adds a run to the corpus, whose least run may have to go for it.
func (s *ReadsFrom) keep(run *seedRun) {
	if n := len(run.schedule.Segments); n > segmentsLimit {
		run.schedule.Segments = run.schedule.Segments[:segmentsLimit]
		if run.ends != nil {
			run.ends = run.ends[:segmentsLimit]
		}
	}
	if len(s.corpus) >= corpusLimit {
		least := 0
		for i := range s.corpus {
			if s.energy(s.corpus[i]) < s.energy(s.corpus[least]) {
				least = i
			}
		}
		s.corpus = slices.Delete(s.corpus, least, least+1)
	}
	s.corpus = append(s.corpus, run)
}

// energy is a run's share of the attempts: high if it shows pairs that sampling
// alone seldom does, and lower with each attempt that started from it and
// showed nothing new.
func (s *ReadsFrom) energy(run *seedRun) float64 {
	worth := setWorth / float64(max(s.sets[run.set], 1))
	for _, i := range run.news {
		worth = max(worth, s.rarity(run.pairs[i]))
	}
	if len(run.schedule.Hot) < len(s.pos.hot) {
		worth *= coldWorth // its goroutines can't stop at all places known to race
	}
	paid := float64(1+run.gained) / float64(1+run.tried)
	return worth * paid * paid
}

// rarity of a pair is 1 if no fresh attempt showed it as often, and small if
// many did. Attempts that follow a pair on purpose say nothing of how rare it is.
func (s *ReadsFrom) rarity(p run.ReadsFrom) float64 {
	ids := times(p)
	return 1 / float64(1+s.fresh[ids[len(ids)-1]])
}

// pick draws a run by energy, nil if there is none.
func (s *ReadsFrom) pick(rng *rand.Rand) *seedRun {
	i := draw(rng, len(s.corpus), func(i int) float64 { return s.energy(s.corpus[i]) })
	if i < 0 {
		return nil
	}
	return s.corpus[i]
}

// draw takes one of n by weight, -1 if n is 0.
func draw(rng *rand.Rand, n int, weight func(int) float64) int {
	sum := 0.0
	for i := range n {
		sum += weight(i)
	}
	left := rng.Float64() * sum
	for i := range n {
		if left -= weight(i); left < 0 {
			return i
		}
	}
	return n - 1
}
