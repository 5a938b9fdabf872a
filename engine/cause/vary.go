package cause

import (
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// walk prepares the random orders of a failing run's events: by goroutine, the
// positions at which it can be stopped. Goroutines that only passing runs have take part
// as soon as one was seen.
type walk struct {
	t      *trace.Trace
	end    int      // its failure
	keys   []uint64 // of goroutines, in order of creation
	counts [][]uint32
	byKey  map[uint64]int
	of     map[trace.GID]int
	births []gate // no goroutine goes on before it was started
}

func newWalk(t *trace.Trace, end int) *walk {
	w := &walk{t: t, end: end, of: map[trace.GID]int{}, byKey: map[uint64]int{}}
	w.extend(t, end)
	for g := range t.Goroutines {
		if n, ok := w.byKey[t.Goroutines[g].Key]; ok && g > 0 {
			w.of[trace.GID(g)] = n
		}
	}
	return w
}

// extend adds the goroutines of a run, up to an event, that are not known.
func (w *walk) extend(t *trace.Trace, end int) {
	of := map[trace.GID]int{}
	at := func(g trace.GID) int {
		n, ok := of[g]
		if !ok {
			n = len(w.keys)
			of[g] = n
			w.keys, w.counts = append(w.keys, t.Goroutines[g].Key), append(w.counts, nil)
			w.byKey[t.Goroutines[g].Key] = n
		}
		return n
	}
	known := len(w.keys)
	for i := range min(end+1, len(t.Events)) {
		e := &t.Events[i]
		if e.G == 0 || int(e.G) >= len(t.Goroutines) {
			continue
		}
		n, ok := w.byKey[t.Goroutines[e.G].Key]
		if !ok || n >= known {
			n = at(e.G)
			if c := w.counts[n]; len(c) == 0 || c[len(c)-1] < e.Count {
				w.counts[n] = append(c, e.Count)
			}
		}
		if e.Op == trace.OpSpawn && int(e.Aux) < len(t.Goroutines) {
			w.born(n, e.Count, t.Goroutines[e.Aux].Key, known, func() int { return at(trace.GID(e.Aux)) })
		}
	}
	for n := known; n < len(w.counts); n++ {
		last := uint32(0)
		if c := w.counts[n]; len(c) > 0 {
			last = c[len(c)-1]
		} else {
			w.counts[n] = []uint32{0}
		}
		for k := uint32(1); k <= beyond; k++ {
			w.counts[n] = append(w.counts[n], last+k)
		}
	}
}

// born notes that a goroutine is started by another one at a position of it. One that is
// started and does nothing may do something in other runs.
func (w *walk) born(parent int, count uint32, child uint64, known int, at func() int) {
	if n, ok := w.byKey[child]; ok && n < known {
		return
	}
	w.births = append(w.births, gate{before: parent, beforeCount: count, after: at()})
}

// beyond is how much further than in the failing run a goroutine may get before the
// others do what they did there.
const beyond = 12

// gate is a literal as the walk sees it: thread after may not do its block number
// at before thread before has done its own.
type gate struct {
	before, after           int
	beforeCount, afterCount uint32
}

// gates are those of literals, as far as schedules can keep them; late is the run that
// literals about what the failing run had not come to are of.
func (w *walk) gates(core []Literal, late *trace.Trace) []gate {
	out := slices.Clone(w.births)
	for _, l := range core {
		after := w.t
		if l.Late {
			after = late
		}
		if l.Before == None || l.After >= len(after.Events) {
			continue
		}
		a, b := &w.t.Events[l.Before], &after.Events[l.After]
		if n, ok := w.byKey[after.Goroutines[b.G].Key]; ok {
			out = append(out, gate{w.of[a.G], n, a.Count, b.Count})
		}
	}
	return out
}

// order is a schedule in which the goroutines take turns at random, so long as that
// many positions at a time on average, within gates.
func (w *walk) order(gates []gate, rng *rand.Rand) []trace.Segment {
	next := make([]int, len(w.keys))
	length := []float64{1.5, 4, 12, 60}[rng.IntN(4)]
	weight := make([]float64, len(w.keys)) // some are slower than others
	for i := range weight {
		weight[i] = []float64{1, 1, 1, 0.1, 0.02}[rng.IntN(5)]
	}
	unfinished := make([]int, len(w.keys))
	for n := range unfinished {
		unfinished[n] = n
	}
	can := func(n int) bool { return w.free(gates, next, n) > next[n] }
	var out []trace.Segment
	for {
		pick := draw(unfinished, weight, can, rng)
		if pick < 0 {
			return out
		}
		steps := 1 + int(rng.ExpFloat64()*length)
		next[pick] = min(next[pick]+steps, w.free(gates, next, pick))
		if next[pick] == len(w.counts[pick]) {
			at, _ := slices.BinarySearch(unfinished, pick)
			unfinished = slices.Delete(unfinished, at, at+1)
		}
		until := w.counts[pick][next[pick]-1]
		if n := len(out); n > 0 && out[n-1].G == w.keys[pick] {
			out[n-1].Until = until
			continue
		}
		out = append(out, trace.Segment{G: w.keys[pick], Until: until})
	}
}

// draw takes one of the threads that can go on, -1 if none can, as often as they weigh.
func draw(threads []int, weight []float64, can func(int) bool, rng *rand.Rand) int {
	for range min(len(threads), 64) { // of many threads most can go on
		if n := threads[rng.IntN(len(threads))]; rng.Float64() < weight[n] && can(n) {
			return n
		}
	}
	pick, sum := -1, 0.0
	for _, n := range threads {
		if can(n) {
			if sum += weight[n]; rng.Float64()*sum < weight[n] {
				pick = n
			}
		}
	}
	return pick
}

// free is how many of its positions thread n may pass now.
func (w *walk) free(gates []gate, next []int, n int) int {
	limit := len(w.counts[n])
	for _, g := range gates {
		if g.after != n {
			continue
		}
		done := next[g.before] > 0 && w.counts[g.before][next[g.before]-1] >= g.beforeCount
		if !done {
			at, _ := slices.BinarySearch(w.counts[n], g.afterCount)
			limit = min(limit, at)
		}
	}
	return limit
}

// disturbed is the failing schedule up to a random place, and something else then.
func disturbed(segs []trace.Segment, rng *rand.Rand) (run.Strategy, []trace.Segment) {
	if len(segs) == 0 {
		return run.Random, nil
	}
	i := rng.IntN(len(segs))
	out := slices.Clone(segs[:i+1])
	switch rng.IntN(3) {
	case 0: // stops there earlier or later
		if out[i].Until != run.UntilBlocked {
			out[i].Until += uint32(rng.IntN(5))
			out[i].Until -= min(out[i].Until, uint32(rng.IntN(5)))
		}
		return run.Replay, append(out, segs[i+1:]...)
	case 1: // is left out
		return run.Replay, slices.Delete(slices.Clone(segs), i, i+1)
	}
	return run.Random, out
}
