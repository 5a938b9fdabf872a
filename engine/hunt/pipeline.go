package hunt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// pipeline takes one job from source to findings.
type pipeline struct {
	*Hunter
	job    *Job
	runner *counter
	tried  int // schedules so far
	failed error
	missed []*Earlier // earlier failures that no replay showed
}

// base is the Spec that all runs of the target have in common.
func (p *pipeline) base() run.Spec { return run.Spec{} }

// open builds the program and plans its search.
func (p *pipeline) open(ctx context.Context) (*search.Campaign, error) {
	p.Sink.Progress(func(u *progress.Update) { u.Phase, u.Target = progress.Building, p.job.Name() })
	src := p.job.Sources() // before the build reads them
	runner, err := p.Stages.Build(ctx, p.job.Target, p.job.Flags)
	src.Settle()
	if err != nil {
		p.failed = err
		return nil, err
	}
	p.runner = &counter{Runner: runner, hashes: map[uint64]bool{}}
	strategy, err := search.Make(p.job.Strategy, search.Config{
		Seed: p.job.Seed, Depth: p.job.Depth, Predict: true, First: p.earlier(ctx)})
	if err != nil {
		return nil, err
	}
	return search.New(p.runner, search.Options{
		Schedules: p.job.Schedules, Seed: p.job.Seed, Strategy: strategy, Base: p.base(), Blind: run.BlindOf(runner)}), nil
}

// searching updates the figures of the progress and of the report: the call may
// end before the search does.
func (p *pipeline) searching(pr search.Progress) {
	p.recount()
	p.Sink.Target(p.job, func(t *report.Target) {
		t.Searched.Strategy, t.Searched.Attempts, t.Searched.Planned = p.job.Strategy, pr.Schedules, pr.Planned
	})
	p.Sink.Progress(func(u *progress.Update) {
		u.Phase, u.Target = progress.Searching, p.job.Name()
		u.Schedules += pr.Schedules - p.tried
		p.tried = pr.Schedules
		u.PerMinute = pr.PerMinute
	})
}

// judge turns the outcome of a search into findings and the target's status.
func (p *pipeline) judge(ctx context.Context, o *search.Outcome) {
	defer p.Sink.Progress(func(u *progress.Update) { u.Done++ })
	p.account(o)
	defer p.recount()
	if o.Status != search.Failing && len(o.Findings) == 0 {
		if o.Leak != nil && p.job.Main && p.alwaysLeaks(ctx, o.Leak, o.Passing) {
			p.setStatus(report.FailsAlways, words.OneLine(o.Reason))
			p.Sink.Target(p.job, func(t *report.Target) { t.Withheld = nil }) // it is reported
			return
		}
		p.conclude(ctx, o)
		return
	}
	found, doubt := 0, ""
	for i := range o.Findings {
		c := &confirmation{pipeline: p, caught: &o.Findings[i], pool: o.Passing}
		why, err := c.run(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			p.obstacle("confirm", err)
			doubt = words.OneLine(err.Error())
			p.withhold(c.caught, doubt)
		case why != "":
			doubt = why
			p.withhold(c.caught, doubt)
		case c.f != nil:
			found++
		}
	}
	switch {
	case found > 0:
		p.setStatus(report.Failing, "")
	case doubt != "":
		p.setStatus(report.NotControllable, doubt)
	}
}

// conclude is for searches that found no failure. A target that the end of the
// call interrupts stays listed as cut short.
func (p *pipeline) conclude(ctx context.Context, o *search.Outcome) {
	reason := words.OneLine(o.Reason)
	if p.failed != nil {
		reason = words.OneLine(p.failed.Error())
		var cgo *instrument.CgoError
		if errors.As(p.failed, &cgo) {
			p.setStatus(report.NotControllable, reason)
			return
		}
		if ctx.Err() != nil || errors.Is(p.failed, context.Canceled) || errors.Is(p.failed, context.DeadlineExceeded) {
			p.Sink.Target(p.job, func(t *report.Target) {
				t.Status, t.Note = report.CutShort, "the budget ended during the build; the first build with a Go version is slow, and the next search continues from the build cache"
			})
			return
		}
	}
	switch status := report.Status(o.Status); status {
	case report.Clean:
		p.setStatus(status, "")
		p.absent(o)
		p.Sink.Target(p.job, func(t *report.Target) { t.Note = "proved: " + reason })
	case report.Searched:
		p.setStatus(status, "")
		p.absent(o)
		if why := unproved(p.job.Strategy, o.Schedules, p.job.Schedules, reason); why != "" {
			p.Sink.Target(p.job, func(t *report.Target) { t.Note = joinRemarks(t.Note, "not proved: "+why) })
		}
	case report.CutShort:
		p.setStatus(status, "")
	default:
		p.setStatus(status, reason)
	}
}

// absent is for searches that ended as planned without a failure. A search that
// is no proof says nothing of a failure that a larger one was needed for.
func (p *pipeline) absent(o *search.Outcome) {
	for _, e := range p.missed {
		if o.Status == search.Clean || o.Schedules >= e.Planned {
			p.Sink.Absent(p.job, e)
		}
	}
}

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

func (p *pipeline) obstacle(doing string, err error) {
	p.Sink.Note(fmt.Sprintf("%s: %s: %s", p.job.Name(), doing, words.OneLine(err.Error())))
}

// account records what the search cost.
func (p *pipeline) account(o *search.Outcome) {
	steps := 0
	for _, r := range o.Passing {
		steps = max(steps, r.Steps)
	}
	p.recount()
	p.Sink.Target(p.job, func(t *report.Target) {
		t.ObservedFailures, t.SharedEvents = o.Failed, steps
		t.Searched = report.Spent{
			Strategy: p.job.Strategy, Attempts: o.Schedules, Planned: p.job.Schedules, Depth: p.job.Depth,
			Predicted: o.Predicted, Happened: o.Happened, SolveMS: o.Solving.Milliseconds(),
			TotalMS: o.Elapsed.Milliseconds()}
		t.Note = limits(o)
		t.Withheld = nil
		for _, w := range o.Withheld {
			t.Withheld = append(t.Withheld, report.Withheld{Kind: kindName(w.Kind), Message: words.OneLine(w.Message), Why: words.OneLine(w.Why)})
		}
	})
}

// withhold lists what a run showed and what is not reported, with the reason.
func (p *pipeline) withhold(f *search.Finding, why string) {
	p.Sink.Target(p.job, func(t *report.Target) {
		w := report.Withheld{Kind: kindName(string(f.Signature.Kind)), Message: words.OneLine(f.Words()), Why: words.OneLine(why)}
		t.Withheld = append(slices.Clip(t.Withheld), w) // the report's own may have been taken
	})
}

// kindName is a kind as the contract has it: there is none for os.Exit.
func kindName(kind string) string {
	if kind == string(trace.ExitCode) {
		return string(trace.FatalError)
	}
	return kind
}

// recount updates the report's number of processes.
func (p *pipeline) recount() {
	if p.runner == nil {
		return
	}
	runs, distinct := p.runner.counts()
	p.Sink.Target(p.job, func(t *report.Target) { t.Runs, t.Distinct = runs, distinct })
}

// joinRemarks puts two remarks into one line; either may be empty.
func joinRemarks(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
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

func (p *pipeline) setStatus(status report.Status, why string) {
	p.Sink.Target(p.job, func(t *report.Target) { t.Status, t.Error = status, why })
	if why != "" {
		p.Sink.Note(fmt.Sprintf("%s: %s: %s", p.job.Name(), status, why))
	}
}
