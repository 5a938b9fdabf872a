package hunt

import (
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// raceOnly is the trace with one race as its failure: the run may also have
// failed in another way, and have other races.
func raceOnly(t *trace.Trace, sig run.Signature) *trace.Trace {
	c := *t
	c.Races = nil
	for _, r := range t.Races {
		if run.RaceSignature(run.PairOf(t, r)) == sig {
			c.Races = append(c.Races, r)
		}
	}
	if len(c.Races) == 0 {
		c.Races = t.Races
	}
	c.Outcome = trace.Outcome{Kind: trace.Raced, Output: t.Outcome.Output}
	return &c
}

// worded fills in the texts of a race finding.
func (c *confirmation) worded(f *report.Finding) {
	f.Kind, f.Class, f.Confirmed = string(trace.Raced), string(trace.Raced), report.RaceProved
	f.Behind = c.behind
	f.Message = "data race"
	if n := len(f.RootCause); n > 0 && f.RootCause[n-1].Var != "" {
		f.Message += " on " + f.RootCause[n-1].Var
	}
	if at := c.caught.Race.Second; f.Failure.File == "" && at.File != "" {
		f.Failure = report.Place{File: c.job.Roots.Name(at.File), Line: at.Line, Func: at.Func}
		if n := len(f.RootCause); n > 0 {
			f.Failure.Goroutine = f.RootCause[n-1].Goroutine
		}
	}
}
