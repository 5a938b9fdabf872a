// Package hunt takes a target from its sources to findings: it builds the program,
// searches it, replays what failed, makes it small, explains it, and shows it on
// builds closer to production.
//
// Invariants:
//   - Reported means reproduced: a failure that two processes with the same
//     schedule do not both show is no finding; the target is not controllable.
//   - What is known goes into the Sink at once, so that the end of the time loses
//     nothing. Finding values that a Sink was given are not changed later, but for
//     ID and Unkept, which are the Sink's.
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
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Job is one target to search, and how.
type Job struct {
	target.Target
	Flags     target.Flags
	Strategy  string // see package search
	Depth     int    // of strategies that have one; 0 = drawn for each run
	Seed      uint64
	Schedules int // planned
	Roots     site.Roots
	// Sources are the texts that the target is built from. It is called before
	// the build; jobs of one package may share them.
	Sources func() *build.Sources
	// Earlier are failures that were found before. They are replayed first, and
	// those that still fail come first in the search.
	Earlier []*Earlier
}

// Name is the package and the entry.
func (j *Job) Name() string { return j.Package + " " + j.Entry }

// Earlier is a failure that an earlier search found.
type Earlier struct {
	ID        string
	Schedule  trace.Schedule // with file names of this machine
	Signature string
}

// Found is a failure as far as it is known at one moment. Its Finding is
// complete at any time; it may be published, and kept.
type Found struct {
	Job         *Job
	Caught      *search.Finding // the same for all that is found of one failure
	Finding     *report.Finding
	Explanation *projection.Projection // nil before it is explained
	Fail, Pass  *trace.Trace           // nil if they were not recorded
	Schedule    trace.Schedule         // with file names of this machine
	Hash        uint64                 // of the run under Schedule
	Signature   string
	Started     time.Time // when it was caught
}

// Sink takes what a hunt finds out, at the moment when it is known. Its methods
// must be quick. They may be called by several goroutines.
type Sink interface {
	// Target changes what is said of a job.
	Target(j *Job, change func(*report.Target))
	// Progress changes the state of progress.
	Progress(change func(*progress.Update))
	// Note gives a line worth keeping in the progress, Warn one that belongs
	// into the answer too.
	Note(line string)
	Warn(line string)
	// Replayed tells how often an earlier failure came again.
	Replayed(j *Job, e *Earlier, runs, failed int)
	// Absent tells that the search of the job spent its plan, or was complete,
	// and an earlier failure was seen neither in it nor in a replay.
	Absent(j *Job, e *Earlier)
	// Hold replaces what is worth releasing of a failure if the time ends now,
	// Drop removes it.
	Hold(f *Found)
	Drop(caught *search.Finding)
	// Release publishes a failure, or replaces what was published of it.
	Release(f *Found)
}

// Hunter searches jobs under one budget, and confirms what the searches catch.
type Hunter struct {
	Stages   ladder.Stages
	Sink     Sink
	Start    time.Time     // of the budget
	Budget   time.Duration // of all jobs
	Deadline time.Time     // Start + Budget
}

// Hunt searches one job until its plan is spent, the deadline has come, or ctx
// ends. What it finds out goes into the sink.
func (h *Hunter) Hunt(ctx context.Context, job *Job) { h.All(ctx, []*Job{job}) }

// All searches jobs under the common budget: each has its turns, and what is
// caught is confirmed as soon as its search has ended.
func (h *Hunter) All(ctx context.Context, jobs []*Job) {
	targets := make([]search.Target, len(jobs))
	lines := make([]*pipeline, len(jobs))
	for i, job := range jobs {
		p := &pipeline{Hunter: h, job: job}
		lines[i] = p
		targets[i] = search.Target{Name: job.Name(), Open: p.open}
	}
	search.Fair(ctx, time.Until(h.Deadline)-h.reserve(), targets, search.Hooks{
		Progress: func(i int, pr search.Progress) { lines[i].searching(pr) },
		Done:     func(i int, o *search.Outcome) { lines[i].judge(ctx, o) },
	})
}

// reserve is kept back from the search, so that a failure found last is
// confirmed within the budget.
func (h *Hunter) reserve() time.Duration { return min(10*time.Second, h.Budget/6) }

// share is the smaller of a limit and a part of the time left.
func (h *Hunter) share(limit time.Duration, part int) time.Duration {
	return min(limit, max(time.Until(h.Deadline)/time.Duration(part), time.Millisecond))
}
