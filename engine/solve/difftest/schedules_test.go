package difftest_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// brute enumerates the schedules of a program on Go's own runtime, a process
// each, without any model: it knows who can run from who was started, has
// parked, was woken or has ended, and tries everybody at every switch point, and
// every ready case of every select.
type brute struct {
	runner run.Runner
	base   run.Spec
	rng    *rand.Rand
	limit  int // runs
	runs   int
	strays int // that did not go as asked
	all    bool
}

// stretch is what a goroutine did between two switch points.
type stretch struct {
	g     trace.GID
	key   uint64
	count uint32
	could []stretch // all that could have run instead
	ready int       // cases of the select in it that were ready
	took  int
	arms  int
}

// attempt is a schedule to be tried: what goes before is done already.
type attempt struct {
	path    []stretch // g and count only
	choices []trace.Choice
}

// each calls saw with the result of every schedule, or of as many as the limit
// allows, in random order then.
func (b *brute) each(ctx context.Context, saw func(*run.Result)) error {
	todo := []attempt{{}}
	for len(todo) > 0 {
		if b.runs == b.limit {
			return nil
		}
		i := b.rng.IntN(len(todo))
		a := todo[i]
		todo[i] = todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		spec := b.base
		spec.Strategy, spec.Record = run.Replay, run.Full
		spec.Schedule.Segments, spec.Schedule.Choices = a.segments(), a.choices
		r, err := b.runner.Run(ctx, spec)
		if err != nil {
			return err
		}
		b.runs++
		saw(r)
		run := stretches(r.Trace)
		if !a.followed(run) {
			b.strays++
			continue
		}
		todo = append(todo, a.others(run)...)
	}
	b.all = true
	return nil
}

func (a attempt) segments() (out []trace.Segment) {
	for _, s := range a.path {
		if n := len(out); n > 0 && out[n-1].G == s.key && out[n-1].Until < s.count {
			out[n-1].Until = s.count
			continue
		}
		out = append(out, trace.Segment{G: s.key, Until: s.count})
	}
	return out
}

func (a attempt) followed(run []stretch) bool {
	return len(run) >= len(a.path) && slices.EqualFunc(a.path, run[:len(a.path)], func(x, y stretch) bool {
		return x.key == y.key && x.count == y.count
	})
}

// others are the attempts that part from a run after what was asked of it.
func (a attempt) others(run []stretch) (out []attempt) {
	for i := max(len(a.path)-1, 0); i < len(run); i++ {
		s := run[i]
		if i >= len(a.path) {
			for _, o := range s.could {
				if o.g != s.g {
					out = append(out, attempt{append(slices.Clone(run[:i]), o), a.before(run[:i])})
				}
			}
		}
		chosen := slices.ContainsFunc(a.choices, func(c trace.Choice) bool { return c.G == s.key && c.Count == s.count })
		if s.ready < 2 || chosen {
			continue
		}
		for k := range s.arms {
			if k != s.took {
				c := append(a.before(run[:i]), trace.Choice{G: s.key, Count: s.count, Case: k})
				slices.SortFunc(c, func(x, y trace.Choice) int {
					if x.G != y.G {
						return map[bool]int{true: -1, false: 1}[x.G < y.G]
					}
					return int(x.Count) - int(y.Count)
				})
				out = append(out, attempt{slices.Clone(run[:i+1]), c})
			}
		}
	}
	return out
}

// before are the cases that selects took, asked for or not.
func (a attempt) before(run []stretch) (out []trace.Choice) {
	for _, s := range run {
		if s.ready > 1 {
			out = append(out, trace.Choice{G: s.key, Count: s.count, Case: s.took})
		}
	}
	return out
}

// watch follows who can run through the events of a trace.
type watch struct {
	t    *trace.Trace
	able map[trace.GID]bool
	next map[trace.GID]uint32 // the count of what it does next
	out  []stretch
}

// stretches takes a run apart, by the segments that it was made of: of some
// stretches there is no event.
func stretches(t *trace.Trace) []stretch {
	w := &watch{t: t, able: map[trace.GID]bool{1: true}, next: map[trace.GID]uint32{}}
	byKey := map[uint64]trace.GID{}
	for i, g := range t.Goroutines[1:] {
		byKey[g.Key] = trace.GID(i + 1)
	}
	left := t.Events
	for _, s := range t.Schedule.Segments {
		g, until := byKey[s.G], s.Until
		if until == math.MaxUint32 { // the last
			until = w.next[g]
			for _, e := range left {
				if e.G == g {
					until = max(until, e.Count)
				}
			}
		}
		for {
			w.begin(g, s.G)
			for len(left) > 0 && (left[0].G == 0 || left[0].G == g && left[0].Count < w.next[g]) {
				w.follow(&left[0])
				left = left[1:]
			}
			if w.next[g] > until || !w.able[g] {
				break
			}
		}
	}
	return w.out
}

// begin notes that g was chosen for another stretch.
func (w *watch) begin(g trace.GID, key uint64) {
	s := stretch{g: g, key: key, count: w.next[g]}
	for o := range w.able {
		if w.able[o] {
			s.could = append(s.could, stretch{g: o, key: w.t.Goroutine(o).Key, count: w.next[o]})
		}
	}
	slices.SortFunc(s.could, func(x, y stretch) int { return int(x.g) - int(y.g) })
	w.out = append(w.out, s)
	w.next[g]++
}

func (w *watch) follow(e *trace.Event) {
	switch e.Op {
	case trace.OpSpawn:
		w.able[trace.GID(e.Aux)] = true
	case trace.OpBlock:
		w.able[e.G] = false
		w.next[e.G] = e.Count
	case trace.OpUnblock:
		w.able[trace.GID(e.Aux)] = true
	case trace.OpEnd:
		w.able[e.G] = false
	case trace.OpSelect:
		s := &w.out[len(w.out)-1]
		s.ready, s.took, s.arms = int(e.Aux>>40), int(int64(e.Value)), int(uint32(e.Aux))
	}
}
