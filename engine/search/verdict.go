package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// verdict is what a campaign makes of its ledger.
type verdict struct {
	found        []Finding // of the moment
	stop         Status    // reason to stop, to be verified; "" = go on
	final        Status    // "" until all is said
	reason       string
	firstFailure int // judged attempts when the first failure, race was seen; -1
	firstRace    int
	firstDelayed int
	failedRuns   int // runs in a row that could not be made
	runErr       error
	replayed     map[run.Signature]bool
	repeats      map[uint64]run.Verdict // of runs that were replayed, by their hash
	rejects      int
}

func newVerdict() verdict {
	return verdict{firstFailure: -1, firstRace: -1, firstDelayed: -1, replayed: map[run.Signature]bool{}, repeats: map[uint64]run.Verdict{}}
}

// Numbers of attempts after which to give up.
const (
	errorLimit   = 3  // in a row that could not be run
	hangLimit    = 4  // each takes seconds of real time
	limitLimit   = 30 // step or virtual time limit
	rejectLimit  = 3  // findings that did not replay
	passingExtra = 20 // after a failure, while no passing run is known

	// elsewhereExtra come after the failure of the state that is looked for, seen with
	// other goroutines elsewhere, before that is enough.
	elsewhereExtra = 200
)

// review looks at the ledger after each judged attempt.
func (v *verdict) review(c *Campaign) {
	l := c.ledger
	if l.reached > 0 && c.judged-l.reachedAt >= elsewhereExtra {
		l.relax()
	}
	v.found = l.findings()
	all := failures(v.found)
	n := all
	if v.firstDelayed < 0 || c.judged-v.firstDelayed < delayExtra {
		n = undelayed(v.found)
	}
	if all > n && v.firstDelayed < 0 {
		v.firstDelayed = c.judged
	}
	if n > 0 && v.firstFailure < 0 {
		v.firstFailure = c.judged
	}
	if len(v.found) > all && v.firstRace < 0 {
		v.firstRace = c.judged
	}
	switch {
	case v.failedRuns >= errorLimit:
		v.stop, v.reason = Error, v.runErr.Error()
	case n >= c.opt.StopAfter && (len(l.passed()) > 0 || c.judged-v.firstFailure >= passingExtra),
		all == 0 && v.firstRace >= 0 && len(v.found) > 0 && c.judged-v.firstRace >= c.opt.RaceExtra:
		v.stop = Failing
	case l.verdicts == 0 && all == 0 && (l.hangs >= hangLimit || l.hangs+l.limits >= limitLimit):
		v.stop, v.reason = NotControllable, l.unfinished()
	case l.only() != "" && l.verdicts >= c.opt.Replays+alwaysAfter(l.only(), c.opt.AlwaysAfter),
		c.judged >= c.opt.Schedules, c.ended && c.judged == c.next && !c.undecided(), c.allTried():
		l.relax()
		v.found = l.findings()
		v.stop = v.spent(c)
	}
}

// alwaysAfter waits longer for deadlocks, without which a schedule can be rare, and
// for programs that end with a status: so do examples, whose one order of output
// can be one of many.
func alwaysAfter(kind trace.OutcomeKind, n int) int {
	if kind == trace.Deadlocked || kind == trace.ExitCode {
		return 4 * n
	}
	return n
}

// spent is the status when no more attempts are to be made.
func (v *verdict) spent(c *Campaign) Status {
	l := c.ledger
	kind := l.only()
	switch {
	case len(v.found) > 0:
		return Failing
	case l.verdicts == 0 && l.hangs+l.limits > 0:
		v.reason = l.unfinished()
		return NotControllable
	case l.verdicts == 0 && l.errors > 0:
		v.reason = "no run could be made"
		if v.runErr != nil {
			v.reason = v.runErr.Error()
		}
		return Error
	case kind != "" && l.verdicts > 0:
		proved, why := c.proved()
		if l.verdicts <= c.opt.Replays && !proved {
			v.reason = "only schedules that failed before were tried"
			return CutShort
		}
		if few := l.verdicts < alwaysAfter(kind, c.opt.AlwaysAfter); few && l.aim != nil && !proved {
			v.reason = allSoFar(l.verdicts, kind)
			return CutShort
		}
		what := l.example(kind)
		how := " (" + string(kind) + ")"
		if strings.HasPrefix(what, string(kind)) { // as in "panic: out of range"
			how = ""
		}
		v.reason = fmt.Sprintf("%d of %d schedules fail%s: %s", l.verdicts, l.verdicts, how, what)
		if said := lastLines(l.output(kind)); kind == trace.ExitCode && said != "" {
			v.reason += "; its output ends with: " + said
		}
		if proved {
			v.reason += "; " + why
		}
		return FailsAlways
	}
	if places := l.alwaysLeaks(); len(places) > 0 {
		v.reason = "every schedule leaves goroutines blocked at " + strings.Join(places, "; ")
		return Searched
	}
	var proved bool
	if proved, v.reason = c.proved(); proved {
		return Clean
	}
	if l.loose > 0 {
		v.reason = l.unjudged()
		if l.verdicts == 0 {
			return NotControllable
		}
	}
	return Searched
}

// allSoFar words that no schedule without a failure is known, which may be for want of time.
func allSoFar(n int, kind trace.OutcomeKind) string {
	return fmt.Sprintf("each of %s tried so far fails with a %s: whether any order passes is not known", words.Count(n, "schedule"), kind)
}

// proved says what the strategy proved, if it had its say.
func (c *Campaign) proved() (bool, string) {
	if c.allTried() {
		return c.proofOfOne()
	}
	if c.ended {
		return c.opt.Strategy.Proved()
	}
	return false, ""
}

// unfinished words that no run came to an end.
func (l *ledger) unfinished() string {
	reason := fmt.Sprintf("none of %d runs came to an end (%d hit the real time limit, %d the step or virtual time limit)",
		l.judged, l.hangs, l.limits)
	if l.outside != "" {
		reason += "; " + l.outside
	}
	return reason
}

// unjudged words how many runs say nothing under a weaker memory model.
func (l *ledger) unjudged() string {
	return fmt.Sprintf("%d of %d runs are none of the memory model, and were not judged", l.loose, l.judged)
}

// example is the message of the first failure of a kind.
func (l *ledger) example(kind trace.OutcomeKind) string {
	for _, s := range l.ordered() {
		if s.Signature.Kind == kind {
			if m := s.Result.Outcome.Message; m != "" {
				return m
			}
			return s.Signature.Places
		}
	}
	return ""
}

// signatures are those of the failures of a kind.
func (l *ledger) signatures(kind trace.OutcomeKind) (all []run.Signature) {
	for _, s := range l.ordered() {
		if s.Signature.Kind == kind && !slices.Contains(all, s.Signature) {
			all = append(all, s.Signature)
		}
	}
	return all
}

// output is the end of what the program of the first failure of a kind printed.
func (l *ledger) output(kind trace.OutcomeKind) string {
	for _, s := range l.ordered() {
		if s.Signature.Kind == kind && s.Result.Outcome.Output != "" {
			return s.Result.Outcome.Output
		}
	}
	return ""
}

// gate makes the first attempt twice: if equal specs don't give equal runs,
// nothing that the search could say would hold. One odd run of five is let
// pass, since findings are replayed on their own.
func (c *Campaign) gate(ctx context.Context) {
	first, ok := c.propose(context.WithoutCancel(ctx)) // it asks no solver
	if !ok {
		c.gated = true
		c.verify(ctx)
		return
	}
	v, err := run.Deterministic(ctx, c.runner, first.spec, 2)
	if err == nil && !v.OK {
		var more run.Verdict
		if more, err = run.Deterministic(ctx, c.runner, first.spec, 3); err == nil && more.OK {
			v = more
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		c.again = append(c.again, first)
		return
	case err != nil:
		c.final, c.reason = Error, err.Error()
	case v.First.Outcome.Kind == trace.InternalErr:
		c.final, c.reason = Error, v.First.Outcome.Message
	case !v.OK:
		c.final, c.reason = NotControllable, v.Reason
	}
	c.gated = true
	first.res, first.err = v.First, err
	c.take(ctx, first)
}

// Verified are the findings of the moment that failed again when their schedules
// were replayed; what was not replayed yet is, as long as ctx allows. The search
// goes on after that.
func (c *Campaign) Verified(ctx context.Context) (all []Finding) {
	if c.Done() && c.final != Failing {
		return nil
	}
	c.replay(ctx)
	for _, f := range c.found {
		if f.Replayed = c.replayed[f.Signature]; f.Replayed && c.final != NotControllable {
			all = append(all, f)
		}
	}
	return all
}

// Excuse says that what was found is no failure. The search goes on.
func (c *Campaign) Excuse(f *Finding) {
	c.ledger.excused[f.Signature] = true
	if c.final == Failing {
		c.final = ""
	}
	c.stop, c.firstFailure = "", -1
	c.review(c)
}

// Leftover is the first run with what all of at least n runs left behind, as a finding,
// if they showed nothing else; else nil.
func (c *Campaign) Leftover(n int) *Finding {
	places := c.ledger.alwaysLeaks()
	if c.ledger.verdicts < n || len(c.found) > 0 || len(places) == 0 {
		return nil
	}
	return c.ledger.leak(places)
}

// verify replays what was found before it is said, and says whether the
// campaign is done. What does not replay is dropped and the search goes on.
func (c *Campaign) verify(ctx context.Context) bool {
	if !c.replay(ctx) {
		return true
	}
	was := c.stop
	c.stop = ""
	c.review(c)
	if was == Failing && c.stop == "" && c.judged < c.opt.Schedules && !c.ended {
		return false // what was found is gone
	}
	c.final = c.stop
	return c.final != ""
}

// replay runs the schedules of what was found twice more. It is false if that
// came to no end, or ended the campaign.
func (c *Campaign) replay(ctx context.Context) bool {
	for i := range c.found {
		f := &c.found[i]
		if c.replayed[f.Signature] || c.ledger.rejected[f.Signature] {
			continue
		}
		v, err := c.twice(ctx, f.Result)
		switch {
		case err != nil && ctx.Err() != nil:
			return false // not done, but the time has ended
		case err != nil:
			c.final, c.reason = Error, err.Error()
			return false
		case v.OK && v.First.Hash == f.Result.Hash && f.Same(v.First):
			c.replayed[f.Signature] = true
			continue
		}
		c.ledger.rejected[f.Signature] = true
		if c.rejects++; c.rejects >= rejectLimit {
			c.final, c.reason = NotControllable, "failing schedules do not fail again when replayed"
			if v.Reason != "" {
				c.reason = v.Reason
			}
			return false
		}
	}
	return true
}

// twice replays a run two times: once for all that was found in it.
func (c *Campaign) twice(ctx context.Context, r *run.Result) (run.Verdict, error) {
	if v, ok := c.repeats[r.Hash]; ok {
		return v, nil
	}
	v, err := run.Deterministic(ctx, c.runner, run.ReplayOf(c.opt.Base, r), 2)
	if err == nil {
		c.repeats[r.Hash] = v
	}
	return v, err
}

// Finish ends the campaign and returns its outcome. Findings that were not replayed
// yet are replayed, as long as ctx and grace allow.
func (c *Campaign) Finish(ctx context.Context, grace time.Duration) *Outcome {
	if !c.Done() {
		c.cut(ctx, grace)
	}
	l := c.ledger
	o := &Outcome{
		Status: c.final, Reason: c.reason, Attempts: int(c.runner.n.Load()), Schedules: l.judged,
		Limits: l.limits, Hangs: l.hangs, Errors: l.errors, Elapsed: c.elapsed,
		Passing: l.passed(), AlwaysLeaks: l.alwaysLeaks(),
	}
	if proved, _ := c.proved(); c.final == FailsAlways && (proved || l.verdicts >= c.opt.Replays+alwaysAfter(l.only(), c.opt.AlwaysAfter)) {
		o.Always = l.signatures(l.only())
	}
	if c.final != NotControllable && c.final != Error {
		o.Findings = c.found
	}
	o.Withheld = c.withheld(o.Findings)
	if len(o.Findings) > 0 {
		o.Status, o.Reason = Failing, ""
	}
	c.tell(c.judged) // what was predicted may have come last
	o.Foresight = c.opt.Strategy.Foresight()
	if len(o.AlwaysLeaks) > 0 && len(o.Findings) == 0 {
		o.Leak = l.leak(o.AlwaysLeaks)
	}
	for i := range o.Findings {
		o.Findings[i].Replayed = c.replayed[o.Findings[i].Signature]
	}
	o.Passed, o.Failed = l.tally()
	return o
}

// cut judges what came back out of order and settles the status.
func (c *Campaign) cut(ctx context.Context, grace time.Duration) {
	for n := c.judged; n < c.next; n++ {
		if done, ok := c.results[n]; ok && done.err == nil {
			c.ledger.add(done.n, done.spec, done.res)
		}
	}
	c.ledger.relax()
	c.found = c.ledger.findings()
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	c.verify(ctx)
	if c.final == "" {
		c.found = c.ledger.findings()
		c.final = CutShort
		c.reason = fmt.Sprintf("%d of %d schedules tried", c.ledger.judged, c.opt.Schedules)
	}
}

// tally counts runs that passed, leaks of every run left aside, and the rest.
func (l *ledger) tally() (passed, failed int) {
	failed = l.verdicts
	for _, k := range []trace.OutcomeKind{trace.Passed, trace.Raced} {
		passed += l.kinds[k]
		failed -= l.kinds[k]
	}
	leaks := 0
	for _, s := range l.samples {
		if s.Signature.Kind == trace.Leaked && len(beyond(s.waiting, l.base)) == 0 {
			leaks += s.Count
		}
	}
	return passed + leaks, failed - leaks
}

func (c *Campaign) progress() Progress {
	l := c.ledger
	p := Progress{Schedules: l.judged, Planned: c.opt.Schedules, Elapsed: c.elapsed, Findings: len(c.found),
		Distinct: len(l.hashes), Each: l.took / time.Duration(max(l.judged, 1))}
	if c.elapsed > 0 {
		p.PerMinute = float64(p.Schedules) / c.elapsed.Minutes()
	}
	if len(c.found) > 0 {
		p.Best = c.found[0].Signature.String()
	}
	return p
}
