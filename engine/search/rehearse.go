package search

import (
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// stage is one rehearsal: a search in the twin for something that fails; or, if passing
// is set, the making of runs to start from. While it is under way nothing else touches it
// or the twin.
type stage struct {
	twin    run.Twin
	load    func(context.Context) (run.Twin, error)
	passing func(context.Context) []*run.Result
	learn   []*run.Result
	doubted map[run.Signature]int
	taken   map[run.Branch]bool
	seed    uint64
	left    int64 // instructions
	rehearsed

	fit    run.Fit
	learnt int
	made   []*run.Result // by passing
	found  *candidate
	why    string // there is nothing
}

const (
	// stageWork bounds one rehearsal, in instructions of the twin, and stagePlays in
	// its runs.
	stageWork  = 30_000_000
	stagePlays = 6000
	// shortPlays is how often the twin is run to make a failing schedule shorter.
	shortPlays = 300
	// mostVain runs without a verdict in a row end a rehearsal.
	mostVain = 200
)

// gather starts the making of runs to start from.
func (s *Cortex) gather(ctx context.Context) {
	s.start(ctx, &stage{passing: s.passing})
	s.passing = nil
}

// begin starts a rehearsal.
func (s *Cortex) begin(ctx context.Context) {
	s.start(ctx, &stage{twin: s.twin, load: s.load, learn: s.runs, doubted: s.doubted, taken: s.taken,
		seed: s.seed + uint64(s.missed), left: min(stageWork, wholeWork-s.work)})
	s.runs = nil
}

// start runs a stage in a goroutine of its own.
func (s *Cortex) start(ctx context.Context, st *stage) {
	s.stage = st
	made := make(chan struct{})
	s.made = made
	go func() {
		defer close(made)
		st.run(ctx)
	}()
}

// join takes in what a rehearsal came to.
func (s *Cortex) join() {
	st := s.stage
	s.made, s.stage = nil, nil
	if st.passing != nil {
		s.startFrom(st.made)
		return
	}
	s.twin = st.twin
	s.plays += st.plays
	s.work += st.work
	s.started += st.learnt
	s.fit.Shared += st.fit.Shared
	s.fit.Modelled += st.fit.Modelled
	if st.found == nil {
		s.end(st.why)
		return
	}
	c := *st.found
	c.story.Started, c.story.Recorded, c.story.Plays, c.story.Shared, c.story.Modelled = s.started, s.recorded, s.plays, s.fit.Shared, s.fit.Modelled
	s.queue = append(s.queue, c)
}

// startFrom takes in runs to start from: those that failed are attempts to make first,
// and the others are learnt by the next rehearsal.
func (s *Cortex) startFrom(runs []*run.Result) {
	s.since = 0
	for _, r := range runs {
		s.then.Observe(replayed(r), r)
		if r.Failed() {
			c := candidate{spec: replayed(r), sig: run.SignatureOf(r)}
			c.story.schedule = c.spec.Schedule
			s.queue = append(s.queue, c)
		} else {
			s.runs = append(s.runs, r)
			s.recorded++
		}
	}
}

// replayed is the attempt that makes a run again.
func replayed(r *run.Result) run.Spec {
	return run.Spec{Strategy: run.Replay, Record: run.Every, Schedule: r.Schedule}
}

// run learns what there is to learn, and looks for a failure.
func (st *stage) run(ctx context.Context) {
	if st.passing != nil {
		st.made = st.passing(ctx)
		return
	}
	if st.twin == nil {
		twin, err := st.load(ctx)
		if err != nil {
			st.why = err.Error()
			return
		}
		st.twin = twin
	}
	for _, r := range st.learn {
		f, err := st.twin.Learn(ctx, r)
		if err != nil {
			st.why = err.Error()
			return
		}
		st.take(r, f)
	}
	st.search(ctx)
}

// take notes what a run of the program showed. What the twin shows of a run that
// passed is no failure.
func (st *stage) take(r *run.Result, f run.Fit) {
	st.learnt++
	st.fit.Shared += f.Shared
	st.fit.Modelled += f.Modelled
	if r.Failed() && r.Outcome.Kind != trace.Raced {
		return
	}
	for _, b := range f.Branches {
		st.taken[b] = true
	}
	if f.Shows != (run.Signature{}) && f.Shows.Kind != trace.Raced {
		st.doubted[f.Shows] = sameMissed
	}
}

// search explores the twin until something fails there that is worth an attempt.
func (st *stage) search(ctx context.Context) {
	s := NewAuto(st.seed)
	defer s.join()
	vain := 0
	for n := 0; n < stagePlays && st.left > 0 && ctx.Err() == nil; {
		spec, ok := s.Next(ctx, n)
		if !ok {
			if !s.Waits() {
				st.why = "the model has shown all that it can do"
				return
			}
			if ready := s.Ready(); ready != nil {
				<-ready
			}
			continue
		}
		n++
		r, p := st.play(ctx, spec)
		if r == nil {
			return
		}
		if vain++; p.Why == "" {
			vain = 0
		} else if vain > mostVain {
			st.why = "the model does not have " + p.Why
			return
		}
		s.Observe(spec, r)
		if st.worth(r) {
			st.offer(ctx, r)
			return
		}
	}
	st.why = "nothing failed in the model"
}

// play is one run of the twin; nil after an error.
func (st *stage) play(ctx context.Context, spec run.Spec) (*run.Result, run.Played) {
	r, p, err := st.twin.Play(ctx, spec)
	if err != nil {
		st.why = err.Error()
		return nil, p
	}
	st.plays++
	st.work += int64(p.Work)
	st.left -= int64(p.Work)
	return r, p
}

// worth is true of failures; races are seen by the detector of any run.
func (st *stage) worth(r *run.Result) bool {
	switch r.Outcome.Kind {
	case trace.Panicked, trace.TestFailed, trace.Deadlocked, trace.Leaked, trace.FatalError:
		return st.doubted[run.SignatureOf(r)] < sameMissed
	}
	return false
}

// offer makes an attempt of a failure.
func (st *stage) offer(ctx context.Context, r *run.Result) {
	sig := run.SignatureOf(r)
	r, p := st.shortest(ctx, r, sig)
	if r == nil {
		return
	}
	c := &candidate{sig: sig, spec: run.Spec{Strategy: run.Replay, Record: run.Every, Schedule: st.twin.Real(r)}}
	for _, b := range p.Branches {
		if !st.taken[b] {
			c.story.Flipped = append(c.story.Flipped, b)
		}
	}
	c.story.schedule = c.spec.Schedule
	st.found = c
}

// shortest makes the schedule of a failure shorter as long as the twin fails in the same
// way: the nearer to runs that were seen, the more of it is known. The result is
// recorded.
func (st *stage) shortest(ctx context.Context, r *run.Result, sig run.Signature) (*run.Result, run.Played) {
	best := r.Schedule
	plays := 0
	for size := max(len(best.Segments)/2, 1); ; {
		shorter := false
		for at := 0; at < len(best.Segments) && plays < shortPlays; {
			spec := run.Spec{Strategy: run.Replay, Schedule: best}
			spec.Schedule.Segments = slices.Delete(slices.Clone(best.Segments), at, min(at+size, len(best.Segments)))
			plays++
			got, _ := st.play(ctx, spec)
			if got == nil {
				return nil, run.Played{}
			}
			if st.worth(got) && run.SignatureOf(got) == sig && len(got.Schedule.Segments) < len(best.Segments) {
				best, shorter = got.Schedule, true
				continue
			}
			at += size
		}
		if size == 1 && !shorter || plays >= shortPlays || ctx.Err() != nil {
			break
		}
		size = max(size/2, 1)
	}
	return st.play(ctx, run.Spec{Strategy: run.Replay, Schedule: best, Record: run.Every})
}
