package search

import (
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Cortex starts from passing runs and makes attempts that take branches which no run
// took (production-guided search: Machado, Lucia, Rodrigues: Cortex, PPoPP 2016, §3.3).
//
// Where Cortex solves for a schedule of symbolic traces, one flip of branches after
// the other, a Twin of the program is run here, which is the program as its sources
// say it: it shows what comes behind a branch that no run took without a run of the
// program. Schedules for the Twin come from the same exploration as Auto's: what a
// solver finds possible on the histories that the Twin has shown, and random ones.
// What fails there is made as short as the Twin allows and is then an attempt; only
// what a run of the program shows counts. A run that went another way teaches the Twin
// its positions. When the Twin has nothing more, or does not fit, the search goes on
// as another strategy does.
//
// Like all strategies it proposes what depends on results alone: a rehearsal ends
// after a number of instructions, not at a time.
type Cortex struct {
	Base
	then     Strategy
	load     func(context.Context) (run.Twin, error)
	passing  func(context.Context) []*run.Result // further runs to start from; nil: they were made, or there are none
	seed     uint64
	twin     run.Twin
	over     bool // the twin is not asked any more
	why      string
	runs     []*run.Result // passing ones that were recorded, not learnt yet
	started  int           // runs that the twin has learnt
	recorded int           // of those, and of those to be learnt, that follow recorded ones
	fit      run.Fit       // of all of those, together
	taken    map[run.Branch]bool
	underway []candidate
	queue    []candidate
	origins  []Origin              // of the attempts proposed
	doubted  map[run.Signature]int // failures of the twin that a run did not show
	begun    bool                  // a run to start from was proposed
	own      bool                  // it is there
	asked    bool                  // Next said that it waits for results
	waits    bool
	made     chan struct{} // closed at the end of the rehearsal under way
	stage    *stage        // of it
	lead     int           // attempts of then before the first rehearsal
	beside   int           // and while each one is under way
	since    int           // of those, since the last one began
	mixed    int           // attempts of then
	missed   int
	mostMiss int
	small    bool // only programs that Auto explores, too
	rehearsed
}

// rehearsed counts what was played.
type rehearsed struct {
	plays int
	work  int64
}

// candidate is an attempt that fails in the twin.
type candidate struct {
	spec  run.Spec
	sig   run.Signature
	story Origin
}

// Origin is where an attempt of Cortex came from.
type Origin struct {
	Started  int          // runs of the program that it started from
	Recorded int          // of those, that follow recorded ones
	Flipped  []run.Branch // outcomes of conditions that none of those had, in order
	Plays    int          // runs of the twin until it was found
	Modelled int          // shared events of the runs started from that the twin does, too
	Shared   int          // of so many
	schedule trace.Schedule
}

const (
	// mostRuns are learnt between two rehearsals.
	mostRuns = 20
	// mostMissed is how often a failure of the twin may come to nothing in a run.
	mostMissed = 12
	// sameMissed is the same for one failure.
	sameMissed = 3
	// wholeWork bounds all rehearsals of a search, in instructions of the twin.
	wholeWork = 120_000_000
)

// NewCortex makes a production-guided search, which goes on as another strategy does.
func NewCortex(c Config, then Strategy) *Cortex {
	s := &Cortex{then: then, load: c.Twin, passing: c.Passing, seed: c.Seed, taken: map[run.Branch]bool{}, doubted: map[run.Signature]int{}, mostMiss: mostMissed}
	if c.Twin == nil {
		s.end("there are no sources to make a model of")
	}
	return s
}

// NewRehearsing is another strategy, which small programs are rehearsed beside once it
// has made some attempts: a process takes less time than a model of a large program.
func NewRehearsing(c Config, then Strategy) *Cortex {
	s := NewCortex(c, then)
	s.lead, s.beside, s.mostMiss, s.small = leadOfRehearsal, besideRehearsal, fewMissed, true
	return s
}

// Bounds of rehearsals beside another strategy.
const (
	leadOfRehearsal = 150
	besideRehearsal = 200
	fewMissed       = 4
)

// Next implements Strategy.
func (s *Cortex) Next(ctx context.Context, n int) (run.Spec, bool) {
	s.waits = false
	for !s.over && s.mixed >= s.lead {
		if spec, ok := s.take(); ok {
			return spec, true
		}
		switch {
		case s.made != nil && s.since < s.beside:
			s.since++
			return s.other(ctx)
		case s.made != nil && !s.ready():
			s.waits = true
			return run.Spec{}, false
		case s.made != nil:
			s.join()
			continue
		case ctx.Err() != nil:
			return run.Spec{}, false
		case !s.begun:
			s.begun = true
			return run.Spec{Strategy: run.Replay, Record: run.Every}, true
		case s.passing != nil:
			s.gather(ctx)
			continue
		case !s.learnt():
			s.waits = true
			return run.Spec{}, false
		}
		s.begin(ctx)
	}
	return s.other(ctx)
}

func (s *Cortex) other(ctx context.Context) (run.Spec, bool) {
	spec, ok := s.then.Next(ctx, s.mixed)
	if s.waits = !ok && s.then.Waits(); ok {
		s.mixed++
	}
	return spec, ok
}

// learnt is true if the results are there of all that was proposed, or could not be
// had: it is asked again only then.
func (s *Cortex) learnt() bool {
	if len(s.underway) == 0 && (s.own || s.twin != nil) {
		return true
	}
	if s.asked {
		s.asked, s.underway = false, nil
		if s.twin == nil && len(s.runs) == 0 {
			s.end("no run could be recorded")
		}
		return true
	}
	s.asked = true
	return false
}

func (s *Cortex) take() (run.Spec, bool) {
	if len(s.queue) == 0 {
		return run.Spec{}, false
	}
	c := s.queue[0]
	s.queue = s.queue[1:]
	s.underway, s.asked = append(s.underway, c), false
	s.origins = append(s.origins, c.story)
	return c.spec, true
}

func (s *Cortex) end(why string) { s.over, s.why = true, why }

// Observe implements Strategy.
func (s *Cortex) Observe(spec run.Spec, r *run.Result) {
	s.then.Observe(spec, r)
	if s.over {
		return
	}
	i := slices.IndexFunc(s.underway, func(c candidate) bool {
		return slices.Equal(c.spec.Schedule.Segments, spec.Schedule.Segments) && slices.Equal(c.spec.Schedule.Choices, spec.Schedule.Choices)
	})
	if i >= 0 {
		c := s.underway[i]
		s.underway = slices.Delete(s.underway, i, i+1)
		if !r.Failed() || r.Outcome.Kind == trace.Raced {
			s.missed++
			s.doubted[c.sig]++
		}
	}
	if s.small && (r.Steps > exploreSteps || r.External > 0) {
		s.end("the program is too large")
		return
	}
	if r.Trace != nil && spec.Record == run.Every && !tooLong(r) && s.begun && len(s.runs) < mostRuns {
		s.runs, s.own = append(s.runs, r), true
	}
	first := s.begun && s.twin == nil && s.stage == nil && spec.Record == run.Every && len(spec.Schedule.Segments) == 0
	if first && r.Failed() && r.Outcome.Kind != trace.Raced {
		s.end("the program fails without a preemption")
	}
	if s.missed >= s.mostMiss {
		s.end("what fails in the model does not fail in the program")
	}
}

// Waits implements Strategy.
func (s *Cortex) Waits() bool { return s.waits }

// Ready implements Strategy.
func (s *Cortex) Ready() <-chan struct{} {
	a, b := s.made, s.then.Ready()
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	both := make(chan struct{})
	go func() { // ends soon after the context given to Next
		<-a
		<-b
		close(both)
	}()
	return both
}

func (s *Cortex) ready() bool {
	select {
	case <-s.made:
		return true
	default:
		return false
	}
}

// Proved implements Strategy.
func (s *Cortex) Proved() (bool, string) { return s.then.Proved() }

// NoProof implements Strategy.
func (s *Cortex) NoProof(why string) { s.then.NoProof(why) }

// Foresight implements Strategy.
func (s *Cortex) Foresight() Foresight {
	f := s.then.Foresight()
	f.Plays, f.Shared, f.Modelled, f.Started, f.Recorded, f.NoTwin = s.plays, s.fit.Shared, s.fit.Modelled, s.started, s.recorded, s.why
	return f
}

// Origin implements Strategy.
func (s *Cortex) Origin(spec run.Spec) *Origin {
	for i := range s.origins {
		if o := &s.origins[i]; slices.Equal(o.schedule.Segments, spec.Schedule.Segments) && slices.Equal(o.schedule.Choices, spec.Schedule.Choices) {
			return o
		}
	}
	return s.then.Origin(spec)
}
