// Package progress describes the progress that every long call of Hocket
// reports while it works.
package progress

import "time"

// Phase says what is being done.
type Phase string

const (
	Discovering Phase = "looking for targets"
	Building    Phase = "building"
	Searching   Phase = "searching"
	Modelling   Phase = "reading the sources for a model of the program"
	Rehearsing  Phase = "rehearsing schedules in the model"
	Simplifying Phase = "simplifying a failure"
	Explaining  Phase = "explaining it"
	Confirming  Phase = "trying it on the ordinary build"

	Replaying     Phase = "replaying" // Schedules of Planned are done
	RunningBreaks Phase = "running with breakpoints"
	Recording     Phase = "recording" // Schedules of Planned are done
	Following     Phase = "following the recorded run"
)

// Update is a state of progress. Times are real. Its JSON form is in
// update_json.go.
type Update struct {
	Phase     Phase
	Target    string // worked at now, "" for all
	Targets   int
	Reached   int // targets of which anything was tried
	Done      int // targets ended
	Schedules int // tried so far
	Planned   int // schedules of the whole search
	Findings  int
	Best      string  // headline of the best confirmed finding so far, "" if there is none
	PerMinute float64 // 0: not known yet
	Elapsed   time.Duration
	Left      time.Duration // of the budget; negative: there is none
	// Message is a line worth keeping: a finding, a problem, a note.
	Message string
}

// Func receives updates, one at a time. It must not block.
type Func func(Update)
