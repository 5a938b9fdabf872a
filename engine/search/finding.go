package search

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Finding is one way in which the target fails under some schedules only, or
// a data race.
type Finding struct {
	Signature run.Signature
	Attempt   int // the first attempt that showed it
	Spec      run.Spec
	Result    *run.Result
	Race      *run.RacePair // of data races
	Count     int           // judged attempts that showed it
	Level     Level         // how much of the state that was looked for it shows, if one was
	Replayed  bool          // its schedule gave the same run again; false only if the time had ended

	places []string       // leaks and deadlocks: where goroutines wait
	base   map[string]int // how many goroutines wait at a place in every finished run
	aim    Aim            // nil: none
}

// Same says whether a run fails as the finding does: what simplification and
// confirmation must keep. A leak or deadlock is the same if goroutines wait at
// all of its places; others may wait elsewhere.
func (f *Finding) Same(r *run.Result) bool {
	if f.aim != nil && f.Race == nil && r.Stands != nil && f.aim.Match(r).Level < f.Level {
		return false // builds that don't tell where goroutines stand are compared as ever
	}
	switch f.Signature.Kind {
	case trace.Raced:
		return slices.ContainsFunc(r.Races, func(p run.RacePair) bool { return run.RaceSignature(p) == f.Signature })
	case trace.Leaked, trace.Deadlocked:
		if !r.Failed() || r.Outcome.Kind != f.Signature.Kind {
			return false
		}
		// In a deadlock they matter, too, who are left behind by every run.
		base := f.base
		if f.Signature.Kind == trace.Deadlocked {
			base = nil
		}
		waiting := run.BlockedPlaces(r)
		return !slices.ContainsFunc(f.places, func(p string) bool { return waiting[p] <= base[p] })
	}
	return r.Failed() && run.SignatureOf(r) == f.Signature
}

// Delayed is true if the run in which it was seen delayed goroutines that could run.
func (f *Finding) Delayed() bool { return f.Result.Delayed > 0 }

// Aside is true of what does not end a search: a race, and a livelock, which is to
// be seen on the ordinary build before it counts.
func (f *Finding) Aside() bool { return f.Race != nil || f.Signature.Kind == trace.Livelock }

// Places are those at all of which goroutines wait in each run that is the same;
// none unless it is a leak or deadlock.
func (f *Finding) Places() []string { return slices.Clone(f.places) }

// Passes says whether a run has no failure at all, what every schedule leaves
// behind set aside: for reduce.Options.Passes. Beside a failure of a run that was cut
// off, others are cut off as well.
func (f *Finding) Passes(r *run.Result) bool {
	if f.Result.Outcome.Cut && r.Outcome.Kind == trace.StepLimit && !r.Hang {
		return true
	}
	return r.Finished() && len(beyond(run.BlockedPlaces(r), f.base)) == 0 && !f.Same(r)
}

// Covers is true if both are one failure seen twice. Of leaks and deadlocks, the
// places of one may be among those of the other.
func (f *Finding) Covers(g *Finding) bool {
	if f.Signature == g.Signature {
		return true
	}
	if f.Signature.Kind != g.Signature.Kind || len(f.places) == 0 || len(g.places) == 0 {
		return false
	}
	return subset(f.places, g.places) || subset(g.places, f.places)
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// inUserCode is false if both sides of a race lie in std: not the user's bug.
func inUserCode(p run.RacePair) bool {
	return p.First != (trace.Frame{}) || p.Second != (trace.Frame{})
}
