package hunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
)

// What is said of a finding that was not looked into.
const (
	notYet   = "not explained and not tried on other builds yet"
	cutShort = "the search ended before it was explained and tried on other builds"
	notTried = "not tried natively: the search ended"
)

// whyOver says why there is no more time.
func whyOver(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.Canceled) {
		return "it was interrupted"
	}
	return "the budget ended"
}

// publish releases what the search knows: it made the failing run again.
func (c *confirmation) publish() {
	c.release(c.early(notYet))
	if c.untold() {
		return
	}
	c.hold(c.early(cutShort))
	c.Sink.Target(c.job, func(t *report.Target) { t.Status, t.Error = report.Failing, "" })
}

// told notes a finding that is new.
func (c *confirmation) told() {
	if c.untold() {
		return
	}
	c.Sink.Note(fmt.Sprintf("found %s in %s: %s", cmp.Or(c.f.ID, "a failure"), c.job.Name(), c.f.Headline()))
}

// early is what is known before the failure is explained.
func (c *confirmation) early(note string) report.Finding {
	e := *c
	if e.simple == nil {
		r := e.caught.Result
		e.simple = &reduce.Simplified{Schedule: r.Schedule, Result: r, After: run.CountsOf(r)}
		e.tally = run.Tally{Runs: 2, Failed: 2, SameHash: 2} // by the search
	}
	f := e.finding(e.outline())
	f.NativeNote, f.Unfinished, f.Schedule.Raw = note, true, c.simple == nil
	return *f
}

// releaseUnfinished publishes an explained failure that other builds are still to
// be tried with.
func (c *confirmation) releaseUnfinished() {
	f := *c.f
	f.Unfinished = true
	c.release(f)
	if f.Confirmed != report.RaceProved {
		f.NativeNote = notTried
	}
	c.hold(f)
}

// refer publishes a failure of the same cause as one that was confirmed.
func (c *confirmation) refer(to *confirmation) {
	f := c.early("same cause as " + cmp.Or(to.f.ID, "that") + " in " + to.job.Name() + ", which was looked into")
	f.SameAs, f.Unfinished, f.Message, f.Class = to.f.ID, false, to.f.Message, to.f.Class
	c.release(f)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = confirmed
}

// release publishes what is known now.
func (c *confirmation) release(f report.Finding) {
	it := c.found(f)
	if c.untold() {
		if c.f == nil {
			c.f = &f
		}
		return
	}
	c.Sink.Release(it)
	if c.f == nil {
		c.f = &f
	}
	c.f.ID, c.f.Unkept = it.Finding.ID, it.Finding.Unkept
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = c.f.ID
}

// hold keeps what is to be published should there be no more.
func (c *confirmation) hold(f report.Finding) {
	if c.untold() {
		return
	}
	f.ID = c.f.ID
	c.Sink.Hold(c.found(f))
}

// found is what is known now.
func (c *confirmation) found(f report.Finding) *Found {
	it := &Found{Job: c.job, Caught: c.caught, Finding: &f, Explanation: c.proj, Fail: c.fail, Core: c.coreEdges(), Pass: c.pass, Started: c.started}
	if c.proj != nil && c.proj.Pass != nil {
		it.Pass = c.proj.Pass
	}
	r := c.caught.Result
	it.Schedule = r.Schedule
	if c.simple != nil {
		r, it.Schedule = c.simple.Result, c.simple.Schedule
	}
	it.Hash, it.Signature = r.Hash, c.signature(r)
	return it
}

// signature identifies the failure across schedules.
func (c *confirmation) signature(r *run.Result) string {
	if c.caught.Race != nil {
		return run.RaceSignature(*c.caught.Race).String()
	}
	return run.SignatureOf(r).String()
}
