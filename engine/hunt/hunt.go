// Package hunt takes a target from its sources to findings: it builds the
// program, searches it, replays, simplifies and explains the failures, and
// tries to reproduce them on builds closer to production.
//
// Invariants:
//   - Reported means reproduced: a failure is a finding only if two processes
//     with the same schedule both show it; otherwise the target is not
//     controllable.
//   - What is known goes into the Sink at once, so that nothing is lost when
//     the time ends. Finding values that a Sink was given are not changed
//     later, except ID, Unkept, and what a recorded run adds, which the Sink sets.
//   - Every target is looked at before anything is confirmed that a look at
//     another one showed; no target's search depends on the others' but for its
//     time.
//   - Nothing here knows of reports, stores and terminals: those are sinks.
package hunt

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Job is one target to search, and how.
type Job struct {
	target.Target
	Flags     target.Flags
	Strategy  string        // see package search
	Depth     int           // of strategies that have one; 0 = drawn for each run
	Delay     time.Duration // as in search.Options
	Memory    trace.Memory  // as in search.Options
	Seed      uint64
	Schedules int // planned
	Roots     site.Roots
	// Sources are the texts that the target is built from. It is called before
	// the build; jobs of one package may share them.
	Sources func() *build.Sources
	// Earlier are failures that were found before. They are replayed first, and
	// those that still fail come first in the search.
	Earlier []*Earlier
	// Aim is a state to be reached: nothing else is a finding. Reached words how much of
	// it a failing run shows.
	Aim     search.Aim
	Reached func(r *run.Result) *report.Reached
	// First, if it is set, returns schedules that the search begins with; the program
	// is built by then.
	First func(ctx context.Context, r run.Runner) []trace.Schedule
	// Recordings, if it is set, makes controlled runs along recorded ones of the target.
	Recordings func(ctx context.Context, r run.Runner) []*run.Result
}

// Name is the package and the entry.
func (j *Job) Name() string { return j.Package + " " + j.Entry }

// Earlier is a failure that an earlier search found.
type Earlier struct {
	ID        string
	Schedule  trace.Schedule
	Signature string
	Planned   int  // schedules, of the search that found it
	Confirmed bool // as far as possible, on the sources of today
	// Unfinished: the time ended before that.
	Unfinished bool
}

// Past is what earlier searches of the same program, with the same options, tried.
type Past struct {
	Seed   uint64 // to be added to the job's: other schedules than those tried
	Tried  int    // schedules, since a plan was last completed
	Spent  bool   // a plan was completed
	Proved string // that no schedule fails, and how that is known
	Caught []trace.Schedule
}

// Tried is what a search has tried so far. Caught are the schedules of failures that
// were not seen twice when the time ended.
type Tried struct {
	Program            string // identifies it, "" if that is not known
	Schedules, Planned int
	Ended              bool // nothing more will be tried
	Status             report.Status
	Proved             string
	Caught             []trace.Schedule
}

// Found is what is known about a failure at one moment. Its Finding can be
// published and stored at any time.
type Found struct {
	Job         *Job
	Caught      *search.Finding // the same for all Found values of one failure
	Finding     *report.Finding
	Explanation *projection.Projection // nil before it is explained
	Fail, Pass  *trace.Trace           // nil if they were not recorded
	Core        []ladder.Edge          // orders of Fail that suffice; nil if they are not known
	Schedule    trace.Schedule
	Hash        uint64 // of the run under Schedule
	Signature   string
	Started     time.Time // when it was caught
}

// Sink receives what a hunt finds out, as soon as it is known. Its methods must
// be quick. They may be called by several goroutines.
type Sink interface {
	// Target changes what the report says about a job.
	Target(j *Job, change func(*report.Target))
	// Progress changes the state of progress.
	Progress(change func(*progress.Update))
	// Note adds a line to the progress, Warn one to the answer too.
	Note(line string)
	Warn(line string)
	// Replayed reports how often an earlier failure came again.
	Replayed(j *Job, e *Earlier, runs, failed int)
	// Absent reports that the search of the job was a proof, or tried as many
	// schedules as were planned when an earlier failure was found, and that the
	// failure was seen neither in it nor in a replay.
	Absent(j *Job, e *Earlier)
	// Always reports that every schedule shows an earlier failure.
	Always(j *Job, e *Earlier)
	// Past returns what earlier searches tried of the program; Tried keeps what this
	// one has tried so far.
	Past(j *Job, program string) Past
	Tried(j *Job, t Tried)
	// Release publishes a failure, or replaces what was published about it. Hold
	// replaces what is to be released about it if the time ends now; Drop takes all
	// of it back.
	Release(f *Found)
	Hold(f *Found)
	Drop(caught *search.Finding)
}

// Hunter searches jobs under one budget, and confirms the failures that the
// searches find.
type Hunter struct {
	Stages ladder.Stages
	Sink   Sink
	Start  time.Time     // of the budget
	Budget time.Duration // of all jobs
}

// deadline is when the budget ends.
func (h *Hunter) deadline() time.Time { return h.Start.Add(h.Budget) }

// Hunt searches one job until all planned schedules were tried, the budget is
// spent, or ctx ends. What it finds out goes into the sink.
func (h *Hunter) Hunt(ctx context.Context, job *Job) { h.All(ctx, []*Job{job}) }

// All searches jobs under the common budget, in their order at first, and confirms
// what they show.
func (h *Hunter) All(ctx context.Context, jobs []*Job) {
	ctx, cancel := context.WithDeadline(ctx, h.deadline())
	defer cancel()
	w, done := newCrew(ctx, h, jobs)
	defer done()
	w.run()
}

// reserve is the part of the budget that is not used for searching if there is
// anything to confirm.
func (h *Hunter) reserve() time.Duration { return min(10*time.Second, h.Budget/6) }
