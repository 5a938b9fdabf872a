package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve/solvers"
)

// Way is which way goroutines are to go. It never changes.
type Way interface {
	// Left says where goroutines (trace.Goroutine.Key) of a run left the way: after they
	// had passed so many switch points; and how far all together kept to it.
	Left(r *run.Result) (left map[uint64]uint32, kept int)
	// Fails is true if what is looked for is a failure that no branch tells.
	Fails() bool
	// Prepare fills in what all attempts have.
	Prepare(spec *run.Spec)
}

const (
	// wayWalk bounds a walk through the states of what is known. There are few attempts,
	// each of which is worth thinking about.
	wayWalk = 20_000
	// wayGoals is how many questions are asked together, of those that are nearest to
	// where a run left the way.
	wayGoals = 12
	// wayRounds bounds how many such lots are asked about before one attempt.
	wayRounds = 24
)

// NewAlong makes an exploration whose attempts are to bring goroutines along a way: each
// asks for another outcome of an operation before which all kept to it, those first that
// a goroutine did last before it left (Φ_path of CLAP: Huang, Zhang, Dolby, PLDI 2013, on
// histories that runs have shown instead of symbolic ones). What lies off the way does
// not happen in its schedules.
func NewAlong(way Way) *Explore {
	s := NewExplore(solvers.Default())
	s.way = way
	return s
}

// Pondered counts what was thought about before attempts.
type Pondered struct {
	Asked    int // questions about orders
	Computed int // of those, answered by an order
	Events   int // operations that the largest lot of questions was about
}

// Pondered says how much was, of an exploration by NewAlong.
func (s *Explore) Pondered() Pondered { return s.pondered }

// alongWay plans one attempt.
func (s *Explore) alongWay(ctx context.Context, r *round, front []forest.Frontier) {
	s.later = nil
	goals := s.order(s.onWay(front))
	for rounds := 0; len(goals) > 0 && len(s.later) == 0 && rounds < wayRounds && ctx.Err() == nil; rounds++ {
		n := min(len(goals), wayGoals)
		lot := goals[:n]
		goals = goals[n:]
		s.pondered.Asked += n
		if left, _ := s.walk(ctx, r, lot); len(left) > 0 && len(s.later) == 0 {
			s.solve(ctx, r, left)
		}
	}
	s.pondered.Events = max(s.pondered.Events, len(r.sys.Events))
	s.pondered.Computed += answered(s.later)
	s.choose(1)
	s.later = nil
	s.spent = len(s.queue) == 0 && ctx.Err() == nil
}

// answered counts the questions that attempts are for.
func answered(ps []proposal) int {
	keys := map[uint64]bool{}
	for _, p := range ps {
		keys[p.key] = true
	}
	return len(keys)
}

// onTheWay takes in where the run added last left the way.
func (s *Explore) onTheWay(r *run.Result) {
	left, kept := s.way.Left(r)
	s.forest.SetLeft(left, kept)
	if s.base == nil || kept > s.baseKept {
		s.base, s.baseKept = r, kept
	}
}

// goOn lets an attempt go on, after its plan, in the order of the run that kept to the way
// the most. What was done before is passed over.
func (s *Explore) goOn(spec *run.Spec) {
	if s.base != nil {
		spec.Schedule.Segments = slices.Concat(spec.Schedule.Segments, s.base.Schedule.Segments)
	}
}

// onWay are the goals that lie on the way, the nearest to where it was left first; a
// failure before all others, if one is looked for. Data races are not.
func (s *Explore) onWay(front []forest.Frontier) (out []forest.Frontier) {
	for _, f := range front {
		if f.Off || f.Race != nil || f.Failure && !s.way.Fails() {
			continue
		}
		if f.Failure {
			f.To = -1
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b forest.Frontier) int { return cmp.Compare(a.To, b.To) })
	return out
}
