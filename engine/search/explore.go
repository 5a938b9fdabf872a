package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// Explore runs what no run before has shown, until nothing is left (maximal
// causality: Huang, PLDI 2015; Cortex §3.3.1). What the runs showed of each
// goroutine is kept in a forest. A walk through its states, or a solver where
// there are too many, finds schedules with a failure, or with an outcome of some
// operation that is new; each is run, and what it shows is added. If no schedule
// shows anything new, the runs made cover all schedules.
//
// It proposes a few attempts at a time and needs their results before it goes
// on.
type Explore struct {
	observed
	solver       solve.Solver
	forest       *forest.Forest
	queue        []proposal
	later        []proposal // that have more preemptions
	underway     []proposal // proposed, not observed
	waiting      bool       // Next said that it waits for them
	tried        map[uint64]int
	refuted      map[uint64]int // the runs known when it was last found impossible
	doubts       []string       // why there will be no proof
	spent        bool           // nothing is left to run
	stopped      bool           // spent, though something may be left
	fresh        int            // events that the last round showed first
	runs         int
	bounded      bool           // by the bounds of Auto
	unproductive int            // rounds in a row that showed nothing new
	made         int            // attempts observed
	work         int64          // steps of the solver, states of walks
	planned      int            // attempts observed before the last plan
	hard         map[uint64]int // how often the solver gave up
	again        bool           // questions are left for the next plan
	noWalks      bool           // no walks
	predictions

	way      Way // nil: any
	pondered Pondered
	base     *run.Result // the run that kept to the way the most
	baseKept int
	aim      Aim // nil: any failure
	callers  callers
	wanted   map[uint64]bool // questions about the state that is looked for
	ended    map[uint64]bool // where runs ended the program (forest.Stand.Key)
	failing  map[uint64]bool // of those, where they failed as the state did
}

// proposal is an attempt and what it is to show.
type proposal struct {
	spec run.Spec
	key  uint64
	hot  int // how many hot places there were
	cost int // preemptions; of a failure 0
}

const (
	// batch is how many attempts are made of one state of knowledge.
	batch = 4
	// window is how many attempts are looked for to choose a batch of: those with
	// the fewest preemptions, since most bugs need few (Musuvathi, Qadeer: Iterative
	// Context Bounding, PLDI 2007).
	window = 2 * batch
	// tries is how often a schedule for the same thing is run before it is
	// taken for one that the program does not follow.
	tries = 3
)

// NewExplore makes an exploration by a solver.
func NewExplore(solver solve.Solver) *Explore {
	return &Explore{solver: solver, forest: forest.New(), tried: map[uint64]int{}, refuted: map[uint64]int{}, hard: map[uint64]int{}, predictions: newPredictions(), callers: callers{}, wanted: map[uint64]bool{}, ended: map[uint64]bool{}, failing: map[uint64]bool{}}
}

// Waits implements Strategy.
func (s *Explore) Waits() bool { return !s.spent }

// Next implements Strategy.
func (s *Explore) Next(ctx context.Context, _ int) (run.Spec, bool) {
	if spec, ok := s.take(); ok || s.awaitsResults() {
		return spec, ok
	}
	for len(s.queue) == 0 && !s.spent && ctx.Err() == nil {
		s.plan(ctx)
	}
	return s.take()
}

// take is the next attempt of those planned.
func (s *Explore) take() (run.Spec, bool) {
	if len(s.queue) == 0 {
		return run.Spec{}, false
	}
	p := s.queue[0]
	s.queue = s.queue[1:]
	s.underway = append(s.underway, p)
	return p.spec, true
}

// awaitsResults is true, once, if there are attempts whose results are needed before the
// next plan. When it is asked again they are there, or could not be had.
func (s *Explore) awaitsResults() bool {
	s.waiting = len(s.underway) > 0 && !s.waiting
	if !s.waiting {
		s.underway = nil
	}
	return s.waiting
}

// Observe implements Strategy.
func (s *Explore) Observe(spec run.Spec, r *run.Result) {
	if r.Inputs > 0 {
		s.NoProof("the order in which a loop meets the elements of a map decides, too")
	}
	if r.ReadClock {
		s.NoProof("the program reads the clock, and when it does so depends on the schedule")
	}
	hot := len(s.hot)
	if s.observed.Observe(spec, r); len(s.hot) != hot {
		s.restart()
	}
	i := slices.IndexFunc(s.underway, func(p proposal) bool {
		return p.spec.Record == spec.Record && p.spec.Schedule.SelectSeed == spec.Schedule.SelectSeed && slices.Equal(p.spec.Schedule.Segments, spec.Schedule.Segments) && slices.Equal(p.spec.Schedule.Choices, spec.Schedule.Choices)
	})
	if i < 0 {
		if s.aim != nil && r.Trace != nil && !s.stopped && !tooLong(r) && slices.Equal(spec.Schedule.Hot, s.hot) {
			s.add(r)
		}
		return
	}
	p := s.underway[i]
	s.underway = slices.Delete(s.underway, i, i+1)
	s.settle(p.key, r)
	s.made++
	if r.Trace == nil {
		s.stop("the runs are not recorded")
		return
	}
	if tooLong(r) {
		s.stop("the program is too large")
		return
	}
	if p.hot != len(s.hot) {
		return // other places are switch points now: its positions mean something else
	}
	s.add(r)
}

// add takes in what a recorded run showed.
func (s *Explore) add(r *run.Result) {
	s.runs++
	if s.aim != nil {
		s.callers.learn(r.Trace)
	}
	fresh, err := s.forest.Add(r.Trace)
	s.fresh += fresh
	if s.way != nil {
		s.onTheWay(r)
	}
	if err != nil {
		s.NoProof(err.Error())
	}
	if s.aim != nil && s.aim.Fails() {
		s.noteFailure(r)
		s.noteEnds(r)
	}
}

// tooLong is true of a run that hit a limit when it had done more than a solver is
// asked about. To add its events would take long and lead to no plan.
func tooLong(r *run.Result) bool {
	return (r.Hang || r.Outcome.Kind == trace.StepLimit || r.Outcome.Cut) && (r.Trace.Truncated || len(r.Trace.Events) > solve.MaxEvents)
}

// restart forgets what was learnt with other switch points.
func (s *Explore) restart() {
	s.base, s.baseKept = nil, 0
	s.forest, s.queue, s.later, s.runs = forest.New(), nil, nil, 0
	s.forest.SetRaced()
	clear(s.tried)
	clear(s.refuted)
	clear(s.hard)
	clear(s.ended)
	clear(s.failing)
}

// NoProof implements Strategy.
func (s *Explore) NoProof(why string) {
	if !slices.Contains(s.doubts, why) {
		s.doubts = append(s.doubts, why)
	}
}

// Stop ends the exploration.
func (s *Explore) Stop(why string) { s.stop(why) }

// stop ends the exploration without a proof.
func (s *Explore) stop(why string) {
	s.NoProof(why)
	s.queue, s.later, s.underway, s.spent, s.stopped = nil, nil, nil, true, true
}

// widen goes on from asking for failures alone to asking for all that is new.
func (s *Explore) widen() {
	if s.failuresOnly && s.spent && !s.stopped {
		s.failuresOnly, s.spent = false, false
	}
}

// plan asks for the next attempts.
func (s *Explore) plan(ctx context.Context) {
	if s.runs == 0 {
		s.queue = append(s.queue, s.proposal(nil, 0, 0))
		return
	}
	switch {
	case s.fresh > 0:
		s.unproductive = 0
	case s.made > s.planned:
		s.unproductive++
	}
	s.fresh, s.planned, s.again = 0, s.made, false
	sys, front, err := s.forest.SystemContext(ctx)
	if err != nil {
		return
	}
	if s.bounded && (len(sys.Events) > exploreEvents || s.made >= exploreAttempts || s.work >= s.mostWork() || s.unproductive > s.mostUnproductive()) {
		s.stop("the space is too large to be covered")
		return
	}
	if s.aim != nil {
		front = s.aimed(front)
	}
	if s.way != nil {
		s.alongWay(ctx, s.newRound(sys), front)
		return
	}
	goals := s.order(front)
	s.later = slices.DeleteFunc(s.later, func(p proposal) bool { // shown meanwhile
		return !slices.ContainsFunc(goals, func(f *forest.Frontier) bool { return f.Key == p.key })
	})
	r := s.newRound(sys)
	goals, n := s.walk(ctx, r, goals)
	if s.aim != nil && len(s.later) > 0 {
		goals = s.wantedOf(goals)
	}
	if (len(s.later) == 0 || s.aim != nil) && len(goals) > 0 {
		s.solve(ctx, r, goals)
	}
	s.choose(n)
	s.spent = len(s.queue) == 0 && !s.again && ctx.Err() == nil
}

// solve asks the solver.
func (s *Explore) solve(ctx context.Context, r *round, goals []*forest.Frontier) {
	start := time.Now()
	session, err := s.solver.New(r.sys)
	s.foresight.Solving += time.Since(start)
	if err != nil {
		s.NoProof("the solver refuses the runs: " + err.Error())
		return
	}
	defer session.Close()
	s.ask(ctx, session, r, goals)
}

// order leaves out what is not worth a question, and puts last what was found
// impossible, the oldest answers first: what was seen since may have made it
// possible.
func (s *Explore) order(front []forest.Frontier) []*forest.Frontier {
	var out []*forest.Frontier
	for i := range front {
		if f := &front[i]; !s.known(f) && (!s.failuresOnly || f.Failure && s.hard[f.Key] == 0) {
			out = append(out, f)
		}
	}
	last := func(f *forest.Frontier) int {
		switch runs, ok := s.refuted[f.Key]; {
		case s.hard[f.Key] > 0:
			return math.MaxInt - hardest + s.hard[f.Key]
		case ok && f.Failure && s.runs >= 2*runs && s.runs < 100:
			return 0 // much was seen since; but this is what takes longest
		case ok:
			return 1 + runs
		case f.Race != nil && f.Race.Again:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(x, y *forest.Frontier) int { return cmp.Compare(last(x), last(y)) })
	return out
}

// choose queues a batch of what was found, failures first, then those with the
// fewest preemptions.
func (s *Explore) choose(n int) {
	slices.SortStableFunc(s.later, func(x, y proposal) int { return cmp.Compare(x.cost, y.cost) })
	if n = min(n, len(s.later)); s.aim != nil && n > 0 {
		n = s.aimedBatch(n)
	}
	s.queue = append(s.queue, s.later[:n]...)
	s.later = slices.Clone(s.later[n:])
	for _, p := range s.queue {
		s.tried[p.key]++
	}
}

// ask looks for schedules for goals until there is a window of them.
func (s *Explore) ask(ctx context.Context, session solve.Session, r *round, goals []*forest.Frontier) {
	var unsolved []string
	start := s.work
	for _, f := range goals {
		if len(s.later) >= window && !s.wanted[f.Key] || ctx.Err() != nil {
			return
		}
		if !s.isOpen(r, f) {
			continue
		}
		if s.bounded && s.work-start >= planWork {
			s.again = true
			return
		}
		if s.hard[f.Key] >= hardest {
			unsolved = append(unsolved, "the solver gave up: "+f.Name)
			continue
		}
		switch res := s.check(ctx, session, f); res.Status {
		case solve.Sat:
			s.accept(r, f, res.Schedule)
		case solve.Unsat:
			s.refuted[f.Key] = s.runs
		default:
			if ctx.Err() != nil {
				return
			}
			if s.hard[f.Key]++; res.Reason != tooManySteps {
				s.hard[f.Key] = hardest
			}
			s.again = !s.failuresOnly
		}
	}
	if len(s.later) == 0 && len(unsolved) > 0 && ctx.Err() == nil && !s.failuresOnly {
		s.NoProof(unsolved[0])
	}
}

// proposal is an attempt. What was tried before is tried with other choices of
// selects.
func (s *Explore) proposal(moves []run.Move, key uint64, cost int) proposal {
	spec := run.Spec{Strategy: run.Replay, Record: run.Every}
	spec.Schedule = run.Plan(moves)
	if s.way != nil {
		s.way.Prepare(&spec)
		s.goOn(&spec)
	}
	spec.Schedule.SelectSeed, spec.Schedule.Hot = uint64(s.tried[key]), slices.Clone(s.hot)
	return proposal{spec: spec, key: key, hot: len(s.hot), cost: cost}
}

// Proved says whether the runs cover every schedule, and in a line how many
// there were or why that is not known.
func (s *Explore) Proved() (bool, string) {
	why := append(s.forest.Incomplete(), s.doubts...)
	switch {
	case !s.spent || s.failuresOnly:
		return false, "not everything was tried"
	case len(why) > 0:
		return false, why[0]
	}
	return true, fmt.Sprintf("every behaviour of %s is covered by %s", words.Count(s.forest.Threads(), "goroutine"), words.Count(s.runs, "run"))
}
