package hunt

import (
	"fmt"
	"time"

	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/search"
)

// unproved says why a search that found nothing proved nothing, "" if that is
// not worth saying. It is for a search that ended before its planned schedules,
// and always for an exploration, whose purpose is the proof.
func unproved(strategy string, made, planned int, reason string) string {
	switch explores := strategy == search.Exploring; {
	case explores && reason == "" && made >= planned:
		return "all planned schedules were tried"
	case explores || made < planned:
		return reason
	}
	return ""
}

// joinRemarks puts two remarks into one line; either may be empty.
func joinRemarks(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// noneEnded says that not even one run did.
func noneEnded(spent time.Duration) string {
	return fmt.Sprintf("no run ended within the %.1fs that it was given", spent.Seconds())
}

// limits says which runs gave no verdict.
func limits(o *search.Outcome) string {
	switch n := o.Limits + o.Hangs; {
	case n == 0 || o.Schedules == 0:
		return ""
	case n == o.Schedules:
		return "no run ended within the limits of a run (" + runLimits + "): give the program less work"
	default:
		return fmt.Sprintf("%d of %d runs did not end within the limits of a run (%s)", n, o.Schedules, runLimits)
	}
}

// runLimits describes the limits of a run.
var runLimits = fmt.Sprintf("%v, %d steps, %v of virtual time", process.DefaultTimeout, process.DefaultSteps, process.DefaultVirtual)
