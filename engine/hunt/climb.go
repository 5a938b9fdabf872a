package hunt

import (
	"context"
	"fmt"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// climb tries the builds that are closer to production. A proved race needs
// none: it is a bug whatever code this compiler generated.
func (c *confirmation) climb(ctx context.Context) {
	if c.caught.Race != nil {
		c.stage = complete
		return
	}
	if run.Workers(0) > 1 { // what these builds take is not left to the search
		if done, ok := c.slots.take(ctx); ok {
			defer done()
		}
	}
	e := ladder.Evidence{Target: c.job.Target, Flags: c.job.Flags, Fail: c.fail, Schedule: c.simple.Schedule, Same: c.caught.Same, Message: c.f.Message,
		Core: c.coreEdges(), Late: c.lateSteps(), Needed: c.neededSwitches()}
	if err := c.freeze(&e.Target); err != nil {
		c.Sink.Warn("sources that changed during the search are read as they are now: " + words.OneLine(err.Error()))
	}
	if c.stage == climbing {
		n, enough := nativeRuns, nativeEnough
		loops := c.caught.Signature.Kind == trace.Livelock
		if loops {
			n, enough = loopRuns, loopRuns // each takes ten seconds
		}
		t, err := c.Stages.Native(ctx, e, n)
		c.rung(ctx, t, err, &c.f.Native, rung{report.Native, n, enough})
		if t != nil {
			c.f.Baseline, c.f.NeedsNoOrder, c.f.Played, c.f.Unplayed = t.Baseline, t.Plain, t.Played, t.Unplayed
			c.f.NativeOrder, c.f.OneProcessor = string(t.Way.Order), t.Way.OneProcessor
			if decidesNatively(t) && (err == nil || ctx.Err() != nil) {
				c.f.Confirmed = report.Native
			}
		}
		switch {
		case c.f.Confirmed == report.Native, loops && (err == nil || ctx.Err() == nil):
			c.stage = complete
		case err == nil || ctx.Err() == nil:
			c.stage = pinning
		}
	}
	if c.stage == pinning {
		t, err := c.Stages.Pinned(ctx, e, pinnedRuns)
		c.rung(ctx, t, err, &c.f.Pinned, rung{report.Pinned, pinnedRuns, pinnedRuns})
		if err == nil || ctx.Err() == nil {
			c.stage = complete
		}
	}
}

// neededSwitches are the events after the switches without which no run failed.
func (c *confirmation) neededSwitches() []int {
	at := trace.SegmentSwitches(c.fail)
	var events []int
	for _, n := range c.needs {
		if sw, ok := at[n.Switch]; ok && n.Needed() {
			events = append(events, sw.At)
		}
	}
	return events
}

// decidesNatively reports whether the ordinary build shows the failure though the
// count alone is too low: it fails by itself, which is more than with an order,
// or it fails nearly always when its order is enforced to its end, which on a
// busy machine it may not be in each run.
func decidesNatively(t *ladder.Trial) bool {
	if t.Baseline != nil && t.Baseline.Failed > 0 {
		return true
	}
	return t.Played >= enoughIfCut && (t.Count.Failed-t.Unplayed)*100 >= t.Played*nativeEnough
}

// freeze makes later builds of the target use the package's sources as they
// were.
func (c *confirmation) freeze(t *target.Target) error {
	o, err := c.job.Sources().Frozen()
	if err == nil {
		t.Overlay = o
	}
	return err
}

// reached reports whether a count reaches the level: at least so many failures,
// or a share of nativeEnough of the runs that there was time for.
func (r rung) reached(n report.Count) bool {
	return n.Failed >= r.enough || n.Runs < r.enough && n.Runs >= enoughIfCut && n.Failed*100 >= n.Runs*nativeEnough
}

// rung is a level of confirmation, and what reaches it.
type rung struct {
	level        report.Level
	runs, enough int // of the runs so many must fail
}

// rung records what a build showed. An error is reported as a note and never
// fatal: the finding keeps the level that it has.
func (c *confirmation) rung(ctx context.Context, t *ladder.Trial, err error, count **report.Count, r rung) {
	cut := err != nil && ctx.Err() != nil
	made := 0
	if t != nil && t.Count.Runs > 0 {
		made = t.Count.Runs
		if *count == nil || made >= (*count).Runs {
			*count = &t.Count
		}
		// What ends after all runs takes nothing away; a build that the budget cut
		// short counts if it made enough runs.
		if (err == nil || cut || made >= r.runs) && r.reached(t.Count) {
			c.f.Confirmed = r.level
		}
	}
	why := ""
	switch {
	case cut && made == 0:
		why = "not tried, " + whyOver(ctx)
	case cut && made < r.runs:
		why = fmt.Sprintf("%s after %d of %d runs", whyOver(ctx), made, r.runs)
	case err != nil && !cut:
		why = words.OneLine(err.Error())
	case t != nil:
		why = t.Note
	}
	if why != "" {
		why = string(r.level) + ": " + why
	}
	if r.level == report.Native {
		c.nativeNote = why
	} else {
		c.pinnedNote = why
	}
	c.f.NativeNote = joinRemarks(c.nativeNote, c.pinnedNote)
}
