package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Mutations of a run's schedule. Seeds, clock step and hot places stay those of
// the run, since the counts of its segments hold for them only; but for one in
// hotTurn, which takes the hot places known today and follows as far as it goes.
const hotTurn = 12

func (s *ReadsFrom) mutate(rng *rand.Rand, run *seedRun) trace.Schedule {
	sched := run.schedule
	sched.Hot = slices.Clone(sched.Hot)
	if rng.IntN(hotTurn) == 0 {
		sched.Hot = slices.Clone(s.pos.hot)
	}
	switch k := rng.IntN(20); {
	case k < 15:
		sched.Segments = s.upToPair(rng, run)
	case k < 17:
		sched.Segments = upToSwitch(rng, run.schedule.Segments)
	case k < 18:
		sched.Segments = interrupted(rng, run.schedule.Segments)
	case k < 19:
		sched.Segments = withoutSwitch(rng, run)
	default:
		sched.Segments = swapped(rng, run.schedule.Segments)
	}
	return sched
}

// upToPair follows the run to a pair, mostly a rare one, and no further.
func (s *ReadsFrom) upToPair(rng *rand.Rand, run *seedRun) []trace.Segment {
	i := 0
	if len(run.news) > 0 && rng.IntN(8) > 0 {
		i = run.news[draw(rng, len(run.news), func(k int) float64 { return s.rarity(run.pairs[run.news[k]]) })]
	} else {
		i = draw(rng, len(run.pairs), func(k int) float64 { return s.rarity(run.pairs[k]) })
	}
	p := run.pairs[i]
	if p.Segment < 1 || p.Segment > len(run.schedule.Segments) {
		return upToSwitch(rng, run.schedule.Segments)
	}
	head := slices.Clone(run.schedule.Segments[:p.Segment])
	head[p.Segment-1].Until = p.Count
	return head
}

// upToSwitch follows the run to one of its switches, and no further.
func upToSwitch(rng *rand.Rand, segs []trace.Segment) []trace.Segment {
	return slices.Clone(segs[:rng.IntN(len(segs))])
}

// interrupted stops a goroutine within one of its segments and lets another one
// of the run go on from where it is; the run's own segments follow.
func interrupted(rng *rand.Rand, segs []trace.Segment) []trace.Segment {
	at := rng.IntN(len(segs))
	from := passed(segs[:at], segs[at].G)
	length := uint32(8) // of a last segment, whose end is not known
	if u := segs[at].Until; u != math.MaxUint32 {
		length = u - min(u, from)
	}
	cut := from + uint32(rng.IntN(int(length)+1))
	other := segs[rng.IntN(len(segs))].G
	until := passed(segs[:at], other) + 1 + uint32(rng.IntN(4))
	out := append(slices.Clone(segs[:at]), trace.Segment{G: segs[at].G, Until: cut}, trace.Segment{G: other, Until: until})
	return append(out, segs[at:]...)
}

// passed is how many switch points a goroutine has passed after some segments.
func passed(segs []trace.Segment, g uint64) uint32 {
	for i := len(segs) - 1; i >= 0; i-- {
		if segs[i].G == g {
			return segs[i].Until
		}
	}
	return 0
}

// withoutSwitch leaves out a segment that another one cut in with: one of the
// run's preemptions if it has any.
func withoutSwitch(rng *rand.Rand, seed *seedRun) []trace.Segment {
	segs := seed.schedule.Segments
	var forced []int
	for i := 1; i < len(seed.ends); i++ {
		if seed.ends[i-1] == run.Preempted {
			forced = append(forced, i)
		}
	}
	at := rng.IntN(len(segs))
	if len(forced) > 0 {
		at = forced[rng.IntN(len(forced))]
	}
	return slices.Delete(slices.Clone(segs), at, at+1)
}

// swapped exchanges two segments that follow each other.
func swapped(rng *rand.Rand, segs []trace.Segment) []trace.Segment {
	out := slices.Clone(segs)
	if len(out) > 1 {
		i := rng.IntN(len(out) - 1)
		out[i], out[i+1] = out[i+1], out[i]
	}
	return out
}
