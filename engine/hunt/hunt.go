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
//     later, except ID and Unkept, which the Sink sets.
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
	Schedule  trace.Schedule
	Signature string
	Planned   int // schedules, of the search that found it
}

// Found is what is known about a failure at one moment. Its Finding can be
// published and stored at any time.
type Found struct {
	Job         *Job
	Caught      *search.Finding // the same for all Found values of one failure
	Finding     *report.Finding
	Explanation *projection.Projection // nil before it is explained
	Fail, Pass  *trace.Trace           // nil if they were not recorded
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
	// Hold replaces what is to be released about a failure if the time ends
	// now; Drop removes it.
	Hold(f *Found)
	Drop(caught *search.Finding)
	// Release publishes a failure, or replaces what was published about it.
	Release(f *Found)
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

// All searches jobs under the common budget: they take turns, and a failure is
// confirmed as soon as the search that found it has ended.
func (h *Hunter) All(ctx context.Context, jobs []*Job) {
	ctx, cancel := context.WithDeadline(ctx, h.deadline())
	defer cancel()
	targets := make([]search.Target, len(jobs))
	lines := make([]*pipeline, len(jobs))
	for i, job := range jobs {
		p := &pipeline{Hunter: h, job: job}
		lines[i] = p
		targets[i] = search.Target{Name: job.Name(), Open: p.open}
	}
	search.Fair(ctx, time.Until(h.deadline())-h.reserve(), targets, search.Hooks{
		Progress: func(i int, pr search.Progress) { lines[i].searching(pr) },
		Done:     func(i int, o *search.Outcome) { lines[i].judge(ctx, o) },
	})
}

// reserve is the part of the budget that is not used for searching, so that a
// failure that is found last can be confirmed within the budget.
func (h *Hunter) reserve() time.Duration { return min(10*time.Second, h.Budget/6) }

// share is the smaller of a limit and a part of the time left.
func (h *Hunter) share(limit time.Duration, part int) time.Duration {
	return min(limit, max(time.Until(h.deadline())/time.Duration(part), time.Millisecond))
}
