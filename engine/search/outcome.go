package search

import (
	"time"

	"github.com/hocket-dev/hocket/engine/run"
)

// Status of a target, as the contract names it.
type Status string

const (
	Failing         Status = "failing"
	Clean           Status = "clean"    // proved: the runs made cover every schedule
	Searched        Status = "searched" // the planned attempts were made, nothing was found
	CutShort        Status = "cut-short"
	NotControllable Status = "not-controllable"
	FailsAlways     Status = "fails-always"
	Error           Status = "error"
)

// Outcome is what a campaign has found.
type Outcome struct {
	Status   Status
	Reason   string    // one line: why not controllable, what always fails, what the error is
	Findings []Finding // failures by attempt number, then races
	Withheld []Withheld

	Attempts  int // processes started, with those of the gate and the verification
	Schedules int // attempts that were judged
	Passed    int // nothing failed, leaks that every run shows left aside
	Failed    int
	Limits    int // step or virtual time limit: no verdict
	Hangs     int // real time limit: no verdict
	Errors    int // the run itself could not be made
	Elapsed   time.Duration
	Foresight

	Passing     []*run.Result // some that passed: for reduce.NearestPassing
	AlwaysLeaks []string      // places where every finished run leaves goroutines behind
	Leak        *Finding      // the first run with AlwaysLeaks, as a finding; nil if there are others
	// Always are the failures of a target that fails always, if enough schedules were tried
	// beside those that had failed before.
	Always []run.Signature
}

// Progress is reported while a campaign runs.
type Progress struct {
	Schedules int
	Planned   int // 0 = as many as the time allows
	PerMinute float64
	Elapsed   time.Duration
	Findings  int
	Best      string // the finding reported first, "" if none

	Distinct int           // different runs so far
	Each     time.Duration // what a run took, on average
}
