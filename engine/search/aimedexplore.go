package search

import (
	"cmp"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// An exploration with an aim asks first whether the state itself is possible as far as
// the runs show: everybody waits, and the goroutines of the state at their places; the
// two accesses race; an operation of the failing goroutine fails. Then what is new, the
// nearest to the state first. Other failures are not asked for.

const (
	mostAssignments = 48     // of goroutines of the program to those of the state
	aimedBatch      = 3      // attempts for the state itself of one state of knowledge
	freshBatch      = 1      // such for what is new
	aimedWalk       = 30_000 // states of a walk: one state is worth more than all that is new
	aimedWork       = 2_000_000
)

// callers are the user's calls at each site that traces showed.
type callers map[string][][]trace.Frame

// learn takes in the sites of a trace.
func (c callers) learn(t *trace.Trace) {
	for i, site := range t.Sites {
		if site == "" {
			continue
		}
		frames := t.UserFrames(trace.StackID(i))
		if len(c[site]) < 16 && !slices.ContainsFunc(c[site], func(o []trace.Frame) bool { return slices.Equal(o, frames) }) {
			c[site] = append(c[site], frames)
		}
	}
}

// near is the largest of all callers of a site.
func (c callers) near(aim Aim, site string) (best float64) {
	for _, frames := range c[site] {
		best = max(best, aim.Near(frames))
	}
	return best
}

// aimed are the questions about the state itself, then those about what is new, the
// nearest first.
func (s *Explore) aimed(front []forest.Frontier) []forest.Frontier {
	out := s.states()
	var fresh []forest.Frontier
	for _, f := range front {
		switch {
		case f.Race != nil:
			if s.isWantedRace(f.Race) {
				out = append(out, f)
			}
		case f.Failure:
			if s.nearOf(&f) >= 1 {
				out = append(out, f)
			}
		default:
			fresh = append(fresh, f)
		}
	}
	for i := range out {
		s.wanted[out[i].Key] = true
	}
	slices.SortStableFunc(fresh, func(x, y forest.Frontier) int { return cmp.Compare(s.nearOf(&y), s.nearOf(&x)) })
	return append(out, fresh...)
}

// nearOf says how near the operation that a question is about is to the state: of a
// failure the one that fails, not the one that makes it.
func (s *Explore) nearOf(f *forest.Frontier) (best float64) {
	events := f.Goal.Stands()
	if !f.Failure {
		events = append(events, f.Goal.Include...)
	}
	for _, e := range events {
		if e == constraint.NoEvent {
			continue
		}
		best = max(best, s.callers.near(s.aim, s.forest.SiteOf(e)))
	}
	return best
}

func (s *Explore) isWantedRace(r *forest.Race) bool {
	for _, a := range s.callers[r.Places[0]] {
		for _, b := range s.callers[r.Places[1]] {
			if len(a) > 0 && len(b) > 0 && s.aim.MatchRace(racing(a[0], b[0])) {
				return true
			}
		}
	}
	return false
}

// states asks for the state with each assignment of goroutines that were seen at its
// places; goroutines whose places none was seen at are left out, if any is left. Of a
// state with a failure, that must have been seen with others elsewhere.
func (s *Explore) states() (out []forest.Frontier) {
	var options [][]forest.Stand
	for _, w := range s.aim.Wants() {
		at := s.forest.Stands(func(site string) bool { return slices.ContainsFunc(s.callers[site], w.At) })
		at = slices.DeleteFunc(at, func(st forest.Stand) bool { return st.Site == "" || len(st.Next) == 0 })
		if len(at) > 0 {
			options = append(options, at)
		}
	}
	slices.SortStableFunc(options, func(a, b []forest.Stand) int { return cmp.Compare(len(a), len(b)) })
	seen := map[uint64]bool{}
	put := func(f forest.Frontier) {
		if !seen[f.Key] && len(out) < mostAssignments {
			seen[f.Key] = true
			out = append(out, f)
		}
	}
	if s.aim.Fails() {
		for _, fails := range s.forest.Fails() {
			if s.failing[fails.Key] && len(options) > 0 {
				assign(options, func(st []forest.Stand) bool {
					if !slices.ContainsFunc(st, func(o forest.Stand) bool { return o.Thread == fails.Thread }) {
						put(s.forest.FailsAt(fails, st))
					}
					return len(out) < mostAssignments
				})
			}
		}
		return out
	}
	if len(options) > 0 {
		assign(options, func(st []forest.Stand) bool {
			put(s.forest.StuckAt(st))
			return len(out) < mostAssignments
		})
	}
	return out
}

// assign visits each choice of one stand of each list, all of different goroutines.
func assign(options [][]forest.Stand, visit func([]forest.Stand) bool) {
	var chosen []forest.Stand
	left := 4096
	var from func(int) bool
	from = func(i int) bool {
		if left--; left < 0 {
			return false
		}
		if i == len(options) {
			return visit(chosen)
		}
		for _, st := range options[i] {
			if slices.ContainsFunc(chosen, func(o forest.Stand) bool { return o.Thread == st.Thread }) {
				continue
			}
			chosen = append(chosen, st)
			more := from(i + 1)
			if chosen = chosen[:len(chosen)-1]; !more {
				return false
			}
		}
		return true
	}
	from(0)
}

// noteFailure remembers where the program ended if it failed as the state did; before
// are the points at which a run had ended it before.
func (s *Explore) noteFailure(r *run.Result) {
	if s.aim.Match(r).Level < SameFailure {
		return
	}
	s.forest.System()
	for _, f := range s.forest.Fails() {
		if !s.ended[f.Key] {
			s.failing[f.Key] = true
		}
	}
}

// noteEnds remembers where runs ended the program.
func (s *Explore) noteEnds(r *run.Result) {
	if r.Failed() {
		s.forest.System()
		for _, f := range s.forest.Fails() {
			s.ended[f.Key] = true
		}
	}
}

// aimedBatch is how many of n attempts, the best first, are made.
func (s *Explore) aimedBatch(n int) int {
	wanted := 0
	for wanted < n && s.later[wanted].cost < 0 {
		wanted++
	}
	if wanted == 0 {
		return min(n, freshBatch)
	}
	return min(wanted, aimedBatch)
}

// aimedCost lets attempts for the state come first, then what is near it, and of that
// what has the fewest preemptions.
func (s *Explore) aimedCost(f *forest.Frontier, cost int) int {
	if s.wanted[f.Key] {
		return -1
	}
	return cost + int((1-s.nearOf(f))*4)
}

func racing(a, b trace.Frame) run.RacePair { return run.RacePair{First: a, Second: b} }

// wantedOf are the questions about the state itself.
func (s *Explore) wantedOf(goals []*forest.Frontier) []*forest.Frontier {
	return slices.DeleteFunc(slices.Clone(goals), func(f *forest.Frontier) bool { return !s.wanted[f.Key] })
}

// mostUnproductive is how many rounds in a row may show nothing new. Those with an aim
// are small.
func (s *Explore) mostUnproductive() int {
	if s.aim != nil {
		return exploreUnproductive * window / freshBatch
	}
	return exploreUnproductive
}

// mostWork is what the solver and walks may take in all.
func (s *Explore) mostWork() int64 {
	if s.aim != nil {
		return aimedWork
	}
	return exploreWork
}

// failingLast lets a goroutine do its last block when all others have come to where they
// wait, and go on from there: nothing stops it between that block and its failure.
func failingLast(moves []run.Move, g uint64) []run.Move {
	for i, m := range slices.Backward(moves) {
		if m.G == g {
			moves = append(slices.Delete(moves, i, i+1), m)
			break
		}
	}
	return append(moves, run.Move{G: g, Count: run.UntilBlocked, Choice: run.NoChoice})
}
