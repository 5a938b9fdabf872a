package fewest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve/switches"
	"github.com/hocket-dev/hocket/engine/trace"
)

// timeEnded is why there is no proof if the context ended.
const timeEnded = "the time ended"

// run replays a schedule with everything written down; nil, and why, when no
// more runs are allowed, or if it could not be made.
func (f *finder) run(s trace.Schedule) (r *run.Result, why string) {
	switch {
	case f.ctx.Err() != nil:
		return nil, timeEnded
	case f.best.Runs >= f.opt.Runs:
		return nil, fmt.Sprintf("%d runs did not suffice", f.best.Runs)
	}
	f.best.Runs++
	spec := f.opt.Base
	spec.Strategy, spec.Schedule, spec.Record = run.Replay, s, run.Every
	r, err := f.runner.Run(f.ctx, spec)
	switch {
	case f.ctx.Err() != nil:
		return nil, timeEnded
	case err != nil:
		return nil, "a run could not be made: " + err.Error()
	case r.Trace == nil:
		return nil, "the runs are not recorded"
	}
	return r, ""
}

// add puts a run into the forest.
func (f *finder) add(r *run.Result) (fresh int, why string) {
	f.yields = f.yields || slices.Contains(r.Ends, run.Yielded) ||
		slices.ContainsFunc(r.Trace.Events, func(e trace.Event) bool { return e.Op == trace.OpGosched })
	f.places(r.Trace)
	n := f.forest.Runs()
	fresh, err := f.forest.Add(r.Trace)
	if err != nil {
		return 0, err.Error()
	}
	if f.same(r) {
		e, ok := endOf(r, n)
		if !ok {
			return fresh, fmt.Sprintf("it is not known how to ask for a failure of this kind (%s)", r.Outcome.Kind)
		}
		f.ends = append(f.ends, e)
	}
	return fresh, ""
}

// try runs the program along a schedule, once, and takes the run if it is
// better. fresh is how many events no run before showed.
func (f *finder) try(short *switches.Short) (fresh int, why string) {
	if short == nil {
		return 0, ""
	}
	sched := f.schedule(short)
	if key := fmt.Sprint(sched.Segments, sched.Choices); f.tried[key] {
		return 0, ""
	} else {
		f.tried[key] = true
	}
	r, why := f.run(sched)
	if r == nil {
		return 0, why
	}
	if c := run.CountsOf(r); f.same(r) && better(c, f.best.Counts) {
		f.best.Run, f.best.Counts = r, c
	}
	return f.add(r)
}

func better(a, b run.Counts) bool {
	return cmp.Or(cmp.Compare(a.Delay, b.Delay), cmp.Compare(a.Preemptions, b.Preemptions), cmp.Compare(a.Switches, b.Switches)) < 0
}

// schedule makes a goroutine run in each of its turns up to the last operation
// that it performs, or into the one in which it parks.
func (f *finder) schedule(short *switches.Short) trace.Schedule {
	s := f.best.Run.Schedule
	s.Segments, s.Choices = nil, nil
	for _, t := range short.Turns {
		last := t.Parks
		if last == constraint.NoEvent && len(t.Events) > 0 {
			last = t.Events[len(t.Events)-1]
		}
		if last == constraint.NoEvent {
			continue
		}
		for _, m := range f.forest.Moves([]constraint.EventID{last}, constraint.Goal{}) {
			if t.Ends {
				m.Count = math.MaxUint32
			}
			s.Segments = append(s.Segments, trace.Segment{G: m.G, Until: m.Count})
		}
	}
	for _, e := range short.Schedule.Order {
		for _, m := range f.forest.Moves([]constraint.EventID{e}, constraint.Goal{}) {
			if m.Choice >= 0 {
				s.Choices = append(s.Choices, trace.Choice{G: m.G, Count: m.Count, Case: m.Choice})
			}
		}
	}
	return s
}

// places notes at which places in the user's code which operations are.
func (f *finder) places(t *trace.Trace) {
	for i, site := range t.Sites {
		fr, ok := t.UserFrame(trace.StackID(i))
		if !ok || site == "" {
			continue
		}
		p := run.PlaceOf(fr)
		if f.sites[p] == nil {
			f.sites[p] = map[string]bool{}
		}
		f.sites[p][site] = true
	}
}
