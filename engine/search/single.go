package search

import (
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// oneSchedule is true of a run that passed and left nothing to choose: no goroutine
// could run beside another, no timer was set that might have fired sooner, no map was
// met in an order of its own, and nothing was made that could tell when the collector ran.
// Most tests of most modules are so.
func oneSchedule(spec run.Spec, r *run.Result) bool {
	return r.Outcome.Kind == trace.Passed && r.Alone && r.Soonest == 0 && r.Inputs == 0 && !r.Awaits && len(r.Races) == 0 && spec.Schedule.Memory == ""
}

// proofOfOne says whether the one schedule of a program shows all that it can do, and
// that it is one.
func proofOfOne(r *run.Result) (bool, string) {
	const one = "no goroutine runs beside another, so there is one schedule"
	switch {
	case r.ReadClock:
		return false, one + "; the program reads the clock"
	case r.Collects:
		return false, one + "; when memory is collected was not varied"
	case r.External > 0:
		return false, one + "; what comes from outside the program may differ"
	}
	return true, one
}
