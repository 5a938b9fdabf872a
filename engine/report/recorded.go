package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Recorded is the answer to one hocket record.
type Recorded struct {
	Version int               `json:"version"`
	Mode    string            `json:"mode,omitempty"` // "paths"; "" is "order"
	Targets []*RecordedTarget `json:"targets"`
	// Runs are those that were kept: all that failed, and of the others one of each
	// order. Of paths all are kept, in the database, and those that failed are here.
	Runs []*RecordedRun `json:"runs"`
	Cut  bool           `json:"cut"` // interrupted before all was recorded
	// Exit is the exit code of the go command that was run; nil if there was none.
	Exit *int `json:"exit,omitempty"`
}

// RecordedTarget is what was recorded of one test or main function.
type RecordedTarget struct {
	Package  string            `json:"package"`
	Entry    string            `json:"entry"`
	Runs     int               `json:"runs"`
	Failed   int               `json:"failed"`
	Orders   int               `json:"orders"` // different ones among the runs; of paths: executions with different ones
	Failures []RecordedFailure `json:"failures,omitempty"`
	LogBytes int64             `json:"log_bytes"` // of the largest log
	Overhead *Overhead         `json:"overhead,omitempty"`
	Error    string            `json:"error,omitempty"`
}

// Overhead is the processor time of a run, the median of as many runs of the ordinary
// build as of the recording one, made in turns.
type Overhead struct {
	Runs        int     `json:"runs"`                   // of each
	PlainFailed int     `json:"plain_failed,omitempty"` // of those of the ordinary build
	PlainMS     float64 `json:"plain_ms"`
	RecordedMS  float64 `json:"recorded_ms"`
}

// RecordedFailure is one way in which runs failed.
type RecordedFailure struct {
	Message string `json:"message"`
	Runs    int    `json:"runs"`
	Run     string `json:"run"` // the first
}

// RecordedRun is one run that was recorded.
type RecordedRun struct {
	ID         string `json:"id"`
	Package    string `json:"package"`
	Entry      string `json:"entry"`
	Outcome    string `json:"outcome"` // "passed", "failed", "killed", "timeout", "unknown"
	Failure    string `json:"failure,omitempty"`
	Order      string `json:"order"` // a digest: equal in runs of one program that did the same in the same order
	Goroutines int    `json:"goroutines"`
	Operations uint64 `json:"operations"`
	Records    int    `json:"records"`
	LogBytes   int64  `json:"log_bytes"`
	TookMS     int64  `json:"took_ms"`
	File       string `json:"file,omitempty"` // in .hocket/runs
	Torn       string `json:"torn,omitempty"` // why the log ends before the run did
}

// Add counts a run.
func (t *RecordedTarget) Add(r *RecordedRun) {
	t.Runs++
	t.LogBytes = max(t.LogBytes, r.LogBytes)
	if r.Outcome == "passed" {
		return
	}
	t.Failed++
	i := slices.IndexFunc(t.Failures, func(f RecordedFailure) bool { return f.Message == r.Failure })
	if i < 0 {
		t.Failures = append(t.Failures, RecordedFailure{Message: r.Failure, Run: r.ID})
		i = len(t.Failures) - 1
	}
	t.Failures[i].Runs++
	slices.SortStableFunc(t.Failures, func(a, b RecordedFailure) int { return cmp.Compare(b.Runs, a.Runs) })
}

// Recording is what came of following a recorded run.
type Recording struct {
	Run      string `json:"run"`
	Outcome  string `json:"outcome"` // of the recorded run
	Failure  string `json:"failure,omitempty"`
	Test     string `json:"test,omitempty"` // that failed, of a run of a whole package
	Runs     int    `json:"runs"`           // that followed it, on the ordinary scheduler
	Followed int    `json:"followed"`       // of them were not seen to leave it
	Failed   int    `json:"failed"`         // of them ended as the recorded run did
	// Lost says where most of the others left the recorded run, LostRuns how many.
	Lost     string `json:"lost,omitempty"`
	LostRuns int    `json:"lost_runs,omitempty"`
	// Other is how most of the runs ended that followed it and did not end as it did.
	Other string `json:"other,omitempty"`
	// Directed counts the controlled runs that were directed along it; Undirected says
	// why none was.
	Directed   int    `json:"directed"`
	Undirected string `json:"undirected,omitempty"`
	// Paths is set where only the paths of the run were recorded. Then it was not followed
	// on the ordinary scheduler.
	Paths *Retraced `json:"paths,omitempty"`
}

// Retraced is what came of computing an order for recorded paths.
type Retraced struct {
	Goroutines int  `json:"goroutines"`     // with recorded outcomes of branches
	Branches   int  `json:"branches"`       // outcomes of branches in all
	Torn       bool `json:"torn,omitempty"` // paths are cut: the program was killed, or the log was full
	Attempts   int  `json:"attempts"`       // controlled runs that were made
	Found      bool `json:"found"`          // the last of them failed as the recorded run
	Planned    bool `json:"planned"`        // and went along a computed order; else it came so by chance
	Followed   int  `json:"followed"`       // goroutines that kept to all of their path in that run, or else in the best one
	Kept       int  `json:"kept"`           // outcomes that were kept to there
	Asked      int  `json:"asked"`          // what the attempts asked for: how many questions about orders
	Computed   int  `json:"computed"`       // how many of those had an order as the answer
	Events     int  `json:"events"`         // operations that the largest question was about
	Switches   int  `json:"switches"`       // between goroutines, of the run that failed
}

// words say how the order came about.
func (p *Retraced) words(run string) string {
	s := fmt.Sprintf("recorded run %s: paths only", run)
	if p.Torn {
		s += ", which are cut where the log ends"
	}
	if !p.Found {
		s += fmt.Sprintf("; no order was found in %s under which it fails as it did", count(p.Attempts, "attempt", "s"))
		if p.Branches > 0 && p.Attempts > 0 {
			s += fmt.Sprintf(" (the best kept to %d of %s of branches)", p.Kept, count(p.Branches, "outcome", "s"))
		}
		return s
	}
	if p.Planned {
		s += fmt.Sprintf("; the order was computed: attempt %d fails as it did", p.Attempts)
	} else {
		s += fmt.Sprintf("; attempt %d, of no computed order, fails as it did", p.Attempts)
	}
	switch {
	case p.Goroutines == 0:
		return s
	case p.Followed == p.Goroutines:
		return s + fmt.Sprintf(" and followed all %s", count(p.Goroutines, "recorded path", "s"))
	}
	return s + fmt.Sprintf("; it followed %d of %s to the end, and kept to %d of %s of branches", p.Followed, count(p.Goroutines, "recorded path", "s"), p.Kept, count(p.Branches, "outcome", "s"))
}

// Words says how often the recorded run was had again.
func (r *Recording) Words() string {
	if r.Paths != nil {
		return r.Paths.words(r.Run)
	}
	end := "ends as it did"
	if r.Failure != "" {
		end = "fails as it did"
	}
	s := fmt.Sprintf("recorded run %s, followed on the ordinary scheduler, %s in %d of %s", r.Run, end, r.Failed, count(r.Runs, "run", "s"))
	if r.LostRuns > 0 {
		s += fmt.Sprintf("; %d left it: %s", r.LostRuns, r.Lost)
	}
	if r.Other != "" {
		s += "; others ended so: " + r.Other
	}
	return s
}

// Certain reports whether nearly all runs that followed it ended as it did.
func (r *Recording) Certain() bool { return r.Runs > 0 && r.Failed*100 >= r.Runs*95 }

var logPlace = regexp.MustCompile(`^\S+\.go:\d+: `)

// Is reports whether a failure of a kind (of findings) and with a message is that of the
// recorded run. A test logs the place before the message; numbers vary; a deadlock says
// in a message of its own who waits.
func (r *Recording) Is(kind, message string) bool { return SameFailure(kind, message, r.Failure) }

// SameFailure compares a failure under control with the line that a process printed.
func SameFailure(kind, message, line string) bool {
	switch {
	case strings.HasPrefix(line, "fatal error: all goroutines are asleep"):
		return kind == "deadlock"
	case line == DoesNotEnd:
		return kind == "deadlock" || kind == "leak" || kind == "livelock"
	}
	return sameMessage(message, line)
}

// DoesNotEnd is the failure of a run that took too long.
const DoesNotEnd = "did not end within the limit of a run"

func sameMessage(message, line string) bool {
	plain := func(s string) string {
		s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
		return strings.Join(strings.Fields(digits.ReplaceAllString(logPlace.ReplaceAllString(s, ""), "#")), " ")
	}
	return message != "" && plain(message) == plain(line)
}

var digits = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)
