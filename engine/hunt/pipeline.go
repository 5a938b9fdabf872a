package hunt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/internal/words"
)

// state is how far a target has come.
type state int

const (
	unbuilt  state = iota
	built          // and not looked at
	searched       // its search is open
	ended
)

// pipeline takes one job from source to findings. One worker has it at a time
// (busy), beside those that confirm what it caught.
type pipeline struct {
	*crew
	job      *Job
	runner   *counter
	campaign *search.Campaign
	tried    int        // schedules that the progress knows of
	seen     bool       // it counts as reached; used within Sink.Progress only
	missed   []*Earlier // earlier failures that no replay showed
	replays  int        // schedules that failed before, which the search begins with
	past     Past
	always   *search.Outcome           // of a search whose finding is what every run leaves behind
	left     fortune                   // of what every run leaves behind
	idle     map[run.Signature]fortune // of what was seen in runs that were cut off
	excused  []*search.Finding         // of that, what waits for work

	// crew.mu guards what follows.
	state    state
	busy     bool
	caught   []*confirmation
	pool     []*run.Result // runs that passed
	spent    time.Duration
	last     search.Progress
	inModel  atomic.Bool // a model is rehearsed, as far as the progress knows
	fresh    int         // new runs among the attempts of the last slice
	attempts int
	settled  bool
}

// base is the Spec that all runs of the target have in common.
func (p *pipeline) base() run.Spec { return run.Spec{Stands: p.job.Aim != nil} }

// build builds the program.
func (p *pipeline) build(ctx context.Context) {
	p.working(p.job, progress.Building, p.job)
	defer p.stopped(p.job)
	src := p.job.Sources() // before the build reads them
	runner, err := p.Stages.Build(ctx, p.job.Target, p.job.Flags)
	src.Settle()
	if err != nil {
		p.refused(ctx, err)
		return
	}
	p.runner = newCounter(runner, p.slots)
	p.become(built)
}

func (p *pipeline) become(s state) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = s
}

// refused is for programs that can't be built.
func (p *pipeline) refused(ctx context.Context, err error) {
	defer p.settle()
	defer p.become(ended)
	var cgo *instrument.CgoError
	switch {
	case errors.As(err, &cgo):
		p.reached()
		p.setStatus(report.NotControllable, words.OneLine(err.Error()))
	case ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		p.Sink.Target(p.job, func(t *report.Target) {
			t.Note = whyOver(ctx) + " during the build; the first build with a Go version is slow, and the next search continues from the build cache"
		})
	default:
		p.reached()
		p.setStatus(report.Error, words.OneLine(err.Error()))
	}
}

// atOnce is how many of the schedules that a job begins with are tried before all others;
// the rest comes in turn with what the strategy proposes.
const atOnce = 16

// look is the first slice of the search.
func (p *pipeline) look(s search.Slice) {
	p.working(p, progress.Searching, p.job)
	p.past = p.Sink.Past(p.job, run.ContentOf(p.runner.Runner))
	if p.past.Proved != "" {
		p.reached()
		p.Sink.Target(p.job, func(t *report.Target) {
			t.Status, t.Note = report.Clean, "proved earlier, unchanged: "+p.past.Proved
		})
		p.become(ended)
		p.settle()
		return
	}
	// What takes longer is worth less than a look at the others.
	ctx, cancel := context.WithTimeout(p.searching, s.Time)
	defer cancel()
	first, beside := p.earlier(ctx), []run.Spec(nil)
	for _, sch := range p.past.Caught {
		first = append(first, run.Spec{Strategy: run.Replay, Schedule: sch})
	}
	if p.job.First != nil {
		var own []run.Spec
		for _, sch := range p.job.First(p.searching, p.runner) {
			own = append(own, run.Spec{Strategy: run.Replay, Schedule: sch})
		}
		first = append(slices.Clone(own[:min(len(own), atOnce)]), first...)
		beside = own[min(len(own), atOnce):]
	}
	p.replays = len(first)
	strategy, err := search.Make(p.job.Strategy, search.Config{
		Seed: p.job.Seed + p.past.Seed, Depth: p.job.Depth, Predict: true, First: first, Beside: beside, Aim: p.job.Aim, Memory: p.job.Memory, Twin: p.twin(), Passing: p.recordings()})
	if err != nil {
		p.setStatus(report.Error, words.OneLine(err.Error()))
		p.become(ended)
		p.settle()
		return
	}
	p.campaign = search.New(p.runner, search.Options{Schedules: p.planned(), Seed: p.job.Seed + p.past.Seed,
		Strategy: strategy, Replays: p.replays, Base: p.base(), Delay: p.job.Delay, Memory: p.job.Memory, Blind: run.BlindOf(p.runner.Runner), Program: p.job.Main, Aim: p.job.Aim})
	p.become(searched)
	p.step(ctx, s)
	if !p.campaign.Done() && p.last.Schedules == 0 {
		p.Sink.Target(p.job, func(t *report.Target) {
			t.Note = noneEnded(p.spent)
		})
	}
}

// planned is what is left of the plan. What begins with earlier failures goes on
// with enough other schedules to tell them from those of a test that always fails.
func (p *pipeline) planned() int {
	least := 1
	if p.replays > 0 {
		least = min(p.replays+besideReplays, p.job.Schedules)
	}
	return max(p.job.Schedules-p.past.Tried, least)
}

const besideReplays = 30

// step makes a slice of the search and publishes what it found.
func (p *pipeline) step(ctx context.Context, s search.Slice) {
	p.working(p, progress.Searching, p.job)
	p.runner.narrow.Store(p.narrow())
	start, before := time.Now(), p.last
	p.campaign.Step(ctx, s, p.progress)
	for _, f := range p.campaign.Verified(p.ctx) {
		p.catch(f)
	}
	p.leftBehind(p.ctx)
	p.mu.Lock()
	p.pool = p.campaign.Passing()
	p.spent += time.Since(start)
	if n := p.last.Schedules - before.Schedules; n > 0 {
		p.fresh, p.attempts = p.last.Distinct-before.Distinct, n
	}
	p.mu.Unlock()
	if p.campaign.Done() {
		p.finish(p.ctx, search.Grace)
		return
	}
	p.keep(report.CutShort, "", nil)
}

// progress updates the figures of the progress and of the report: the call may
// end before the search does.
func (p *pipeline) progress(pr search.Progress) {
	p.mu.Lock()
	p.last = pr
	p.mu.Unlock()
	p.recount()
	if pr.Schedules > p.tried && p.inModel.CompareAndSwap(true, false) {
		p.working(p, progress.Searching, p.job)
	}
	first := pr.Schedules > 0 && p.tried == 0
	if first {
		p.reached()
	}
	p.Sink.Target(p.job, func(t *report.Target) {
		if first && t.Status == report.NotReached {
			t.Status, t.Note = report.CutShort, ""
		}
		t.Searched.Strategy, t.Searched.Attempts, t.Searched.Planned = p.job.Strategy, pr.Schedules, pr.Planned
		t.Searched.Earlier, t.Searched.TotalMS = p.past.Tried, pr.Elapsed.Milliseconds()
		t.NeedsMS = needs(pr).Milliseconds()
	})
	p.Sink.Progress(func(u *progress.Update) {
		u.Schedules += pr.Schedules - p.tried
		p.tried = pr.Schedules
		if d := time.Since(p.first); d >= time.Second { // a rate of less says nothing
			u.PerMinute = float64(u.Schedules) / d.Minutes()
		}
	})
}

// reached counts a target of which something is known.
func (p *pipeline) reached() {
	p.Sink.Progress(func(u *progress.Update) {
		if p.seen, u.Reached = true, u.Reached+1; u.Reached == 1 {
			p.first = time.Now()
		}
	})
}

// needs estimates how long the rest of a search takes at most, with all
// processors to itself.
func needs(pr search.Progress) time.Duration {
	if pr.Schedules == 0 {
		return 0
	}
	each := pr.Each / time.Duration(run.Workers(0))
	if each == 0 {
		each = pr.Elapsed / time.Duration(pr.Schedules)
	}
	return each * time.Duration(pr.Planned-pr.Schedules)
}

// catch publishes a failure that is new, and has it confirmed.
func (p *pipeline) catch(f search.Finding) {
	p.mu.Lock()
	known := slices.ContainsFunc(p.caught, func(c *confirmation) bool { return c.caught.Covers(&f) })
	slow := f.Delayed() && slices.ContainsFunc(p.caught, func(c *confirmation) bool { return c.caught.Delayed() })
	p.mu.Unlock()
	if known || f.Result.Outcome.Cut && p.idles(&f) {
		return
	}
	if slow {
		p.withhold(&f, "it was seen only when goroutines were delayed, as another failure of the target that is reported")
		return
	}
	c := &confirmation{pipeline: p, caught: &f, from: p.campaign.Origin(&f), known: p.isKnown(&f), started: time.Now()}
	if f.Replayed {
		c.publish()
	}
	p.mu.Lock()
	twin := c.id != "" && slices.ContainsFunc(p.caught, func(o *confirmation) bool { return o.id == c.id })
	p.caught = append(p.caught, c)
	if twin {
		c.state = confirmed // under the id that both have
	}
	p.mu.Unlock()
	if twin {
		c.Sink.Drop(c.caught) // what is known of the other one says it all
		return
	}
	if f.Replayed {
		c.told()
	}
	p.enqueue(c)
}

// recount updates the report's number of processes.
func (p *pipeline) recount() {
	runs, distinct := p.runner.counts()
	p.Sink.Target(p.job, func(t *report.Target) { t.Runs, t.Distinct = runs, distinct })
}

func (p *pipeline) obstacle(doing string, err error) {
	p.Sink.Note(fmt.Sprintf("%s: %s: %s", p.job.Name(), doing, words.OneLine(err.Error())))
}

func (p *pipeline) setStatus(status report.Status, why string) {
	p.Sink.Target(p.job, func(t *report.Target) { t.Status, t.Error = status, why })
	if why != "" {
		p.Sink.Note(fmt.Sprintf("%s: %s: %s", p.job.Name(), status, why))
	}
}
