package hunt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// finish ends the search and judges it.
func (p *pipeline) finish(ctx context.Context, grace time.Duration) {
	o := p.campaign.Finish(ctx, min(grace, search.Grace))
	p.account(o)
	for _, f := range p.excused {
		p.withhold(f, "the run was cut off, and those goroutines wait where they or others were given work before")
	}
	var unsure []*search.Finding
	for _, f := range o.Findings {
		if p.catch(f); !f.Replayed {
			unsure = append(unsure, &f)
		}
	}
	p.mu.Lock()
	p.pool, p.last.Schedules = o.Passing, o.Schedules
	p.state = ended
	none := len(p.caught) == 0
	for _, c := range p.caught {
		if c.state == doubtful {
			p.withhold(c.caught, c.doubt)
		}
	}
	p.mu.Unlock()
	switch {
	case p.alwaysLeaves(ctx, o):
		p.always = o
		p.setStatus(report.FailsAlways, words.OneLine(left(o)))
		p.Sink.Target(p.job, func(t *report.Target) { t.Withheld = nil }) // it is reported
	case none:
		if o.Status == search.Failing { // all of it is withheld
			o.Status = search.CutShort
		}
		p.conclude(o)
	}
	proved := ""
	if o.Status == search.Clean {
		proved = words.OneLine(o.Reason)
	}
	p.keep(report.Status(o.Status), proved, unsure)
	p.settle()
}

// left words what every run leaves behind.
func left(o *search.Outcome) string {
	if o.Status != search.CutShort {
		return o.Reason
	}
	return fmt.Sprintf("each of %d schedules tried leaves goroutines blocked at %s", o.Schedules, strings.Join(o.AlwaysLeaks, "; "))
}

// keep tells the sink what the next search should know.
func (p *pipeline) keep(status report.Status, proved string, unsure []*search.Finding) {
	t := Tried{Program: run.ContentOf(p.runner.Runner), Schedules: p.last.Schedules, Planned: p.planned(), Ended: p.state == ended, Status: status, Proved: proved}
	for _, f := range unsure {
		t.Caught = append(t.Caught, f.Result.Schedule)
	}
	p.Sink.Tried(p.job, t)
}

// settle counts a target whose search and confirmations have ended, and gives it
// the status that it has when all that it caught is in doubt.
func (p *pipeline) settle() {
	p.mu.Lock()
	found, doubt, unseen := false, "", false
	over := p.state == ended && !p.settled
	for _, c := range p.caught {
		over = over && c.state != pending
		found = found || c.state == confirmed
		if c.state == doubtful && !c.unseen {
			doubt = c.doubt
		}
		unseen = unseen || c.unseen
	}
	p.settled = p.settled || over
	p.mu.Unlock()
	if !over {
		return
	}
	switch {
	case !found && doubt == "" && unseen:
		p.setStatus(report.Searched, "")
	case found || doubt == "":
	case p.always != nil:
		p.conclude(p.always)
	default:
		p.setStatus(report.NotControllable, doubt)
	}
	p.Sink.Progress(func(u *progress.Update) {
		if p.seen {
			u.Done++
		}
		u.Planned -= max(p.job.Schedules-p.tried, 0)
	})
}

// close ends what the end of the call found open, and names what was caught and
// not looked into.
func (p *pipeline) close() {
	if p.state == searched {
		p.finish(p.ctx, 0)
	}
	for _, c := range p.caught {
		if c.state == pending && (c.f == nil && !c.caught.Replayed || c.untold()) {
			what := fmt.Sprintf("a %s was caught when the time ended, and is not a finding until it is seen again (%s); the next search begins with it",
				kindName(string(c.caught.Signature.Kind)), words.OneLine(c.caught.Words()))
			p.Sink.Target(p.job, func(t *report.Target) { t.Status, t.Note = report.CutShort, joinRemarks(t.Note, what) })
		}
	}
}

// conclude is for searches that found no failure.
func (p *pipeline) conclude(o *search.Outcome) {
	reason := words.OneLine(o.Reason)
	switch status := report.Status(o.Status); status {
	case report.Clean:
		p.setStatus(status, "")
		p.absent(o)
		p.Sink.Target(p.job, func(t *report.Target) { t.Note = "proved: " + reason })
	case report.Searched:
		p.setStatus(status, "")
		p.absent(o)
		if why := unproved(p.job.Strategy, o.Schedules, p.planned(), reason); why != "" {
			p.Sink.Target(p.job, func(t *report.Target) { t.Note = joinRemarks(t.Note, "not proved: "+why) })
		}
	case report.FailsAlways:
		p.setStatus(status, reason)
		for _, e := range p.job.Earlier {
			if slices.ContainsFunc(o.Always, func(s run.Signature) bool { return run.SameButLines(e.Signature, s.String()) }) {
				p.Sink.Always(p.job, e)
			}
		}
	case report.CutShort:
		if o.Schedules == 0 {
			p.setStatus(report.NotReached, "")
			p.Sink.Target(p.job, func(t *report.Target) { t.Note = noneEnded(p.spent) })
			return
		}
		p.setStatus(status, "")
	default:
		p.setStatus(status, reason)
	}
}

// absent is for searches that ended as planned without a failure. A search that
// is no proof says nothing of a failure that a larger one was needed for.
func (p *pipeline) absent(o *search.Outcome) {
	if p.job.Aim != nil {
		return // it was looked for something else
	}
	for _, e := range p.missed {
		if o.Status == search.Clean || o.Schedules+p.past.Tried >= e.Planned {
			p.Sink.Absent(p.job, e)
		}
	}
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
		if o.Shared > 0 {
			t.Modelled, t.SharedEvents = modelled(o.Foresight), o.Shared
		}
		t.Searched = report.Spent{
			Strategy: p.job.Strategy, Attempts: o.Schedules, Planned: p.planned(), Earlier: p.past.Tried, Depth: p.job.Depth,
			Predicted: o.Predicted, Happened: o.Happened, SolveMS: o.Solving.Milliseconds(),
			Started: o.Started, FromDatabase: o.Recorded, Synthesized: o.Plays, NoModel: o.NoTwin,
			TotalMS: o.Elapsed.Milliseconds()}
		t.Note = limits(o)
		if o.Status != search.CutShort {
			t.NeedsMS = 0
		}
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
		if !slices.Contains(t.Withheld, w) {
			t.Withheld = append(slices.Clip(t.Withheld), w) // the report's own may have been taken
		}
	})
}

// kindName is a kind as the contract has it: there is none for os.Exit.
func kindName(kind string) string {
	if kind == string(trace.ExitCode) {
		return string(trace.FatalError)
	}
	return kind
}
