// Package from goes from an artefact of a failure to a finding: it reads the states
// that the artefact tells of (package dump), carries one over to the sources of today
// (dump/today), chooses the tests or main functions that lead there, and has them
// searched for that state (packages reach and session).
//
// Invariants:
//   - What was chosen for the user is in the answer: the state, the entry and why,
//     the places that moved.
//   - A finding says how much of the state its run shows, after that was simplified
//     and replayed; nothing is said to be the same state that was not compared.
package from

import (
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/session"
)

// Options of a search for a state.
type Options struct {
	session.Options
	File string // of the artefact, for messages
	Data []byte // its content; unused if Core is set
	Core string // the name of a core file ("" if the artefact is none)
	Exe  string // its executable; "" is the one that the core names
	// Redact leaves the values of variables out of the answer: their names stay.
	Redact bool
	// Priority ranks what a core's comparison with a passing run proposes (package
	// postmortem); "" is the one that is best known, "none" proposes nothing.
	Priority string
	Nth      int // which of the states that it tells of, from 1; 0 is the first that can be searched for
}

// Answer is a report of a search, with what was looked for.
type Answer struct {
	report.Report
	From *From `json:"from"`
}

// From tells what was looked for, and how near the search came.
type From struct {
	File    string   `json:"file"`
	Kind    string   `json:"kind"`              // "panic", "race report", "goroutine dump", ...
	Message string   `json:"message,omitempty"` // of the failure
	Line    int      `json:"line,omitempty"`    // of the file at which it begins
	States  int      `json:"states"`            // that the file tells of
	Nth     int      `json:"nth"`               // of those, from 1
	Entry   string   `json:"entry"`             // why the targets were chosen
	Notes   []string `json:"notes,omitempty"`   // what is not as in the file, or can't be compared
	// Goroutines are those of the user's, equal ones once.
	Goroutines []Stand  `json:"goroutines"`
	Race       []Access `json:"race,omitempty"`
	Reached    bool     `json:"reached"` // a finding shows the whole state
	// Always is true if every run failed as the artefact tells: that is no question of the
	// order, and no finding.
	Always bool `json:"always,omitempty"`
	// Core is what a core dump shows beside a passing run; nil for other artefacts.
	Core *Core `json:"core,omitempty"`
	// Nearest is the run that came nearest, if none shows the whole state; nil if none
	// came near.
	Nearest *Nearest `json:"nearest,omitempty"`
}

// Stand is where goroutines stand in a state.
type Stand struct {
	Func     string `json:"func"`
	File     string `json:"file"`
	Line     int    `json:"line"` // 0: not known today
	Reason   string `json:"reason,omitempty"`
	Count    int    `json:"count"`
	Created  string `json:"created_by,omitempty"`
	Failing  bool   `json:"failing,omitempty"`
	Compared bool   `json:"compared"`
}

// Access is one side of a race.
type Access struct {
	Op   string `json:"op"`
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// Nearest is how near a run came.
type Nearest struct {
	Failure    bool    `json:"failure"` // it failed in the same way
	Same       int     `json:"same"`
	Goroutines int     `json:"goroutines"` // that are compared
	Missing    []Stand `json:"missing,omitempty"`
	Extra      int     `json:"extra,omitempty"` // goroutines that wait and are not in the state
	// Whole: it showed the whole state, and is no finding for a reason that its target names.
	Whole bool   `json:"whole,omitempty"`
	Words string `json:"words"`
}

// DefaultSchedules is how many attempts are planned for each target.
const DefaultSchedules = session.DefaultSchedules
