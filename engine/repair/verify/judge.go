package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

const stays = "another finding of this test stays: "

// Stays reports whether a fix leaves another known finding of its test.
func Stays(f *report.Fix) bool {
	return slices.ContainsFunc(f.Tells, func(t string) bool { return strings.HasPrefix(t, stays) })
}

// searched searches the program with the fix.
func (c *check) searched(ctx context.Context) (string, error) {
	c.planned = min(c.Most, max(c.Least, 3*c.Finding.Search.Attempts))
	for {
		n := len(c.staying)
		out, err := c.search(ctx, c.with, c.Target, 1, c.planned, true)
		if err != nil {
			if out != nil {
				c.fix.Schedules = out.Schedules
			}
			return "", err
		}
		if err := c.notice(ctx, out); err != nil {
			return "", err
		}
		if len(c.staying) == n {
			return c.judge(out)
		}
		// What stays ended the search: once more, past it.
	}
}

// judge is what a search says of the fix.
func (c *check) judge(out *search.Outcome) (string, error) {
	c.fix.Schedules += out.Schedules
	for _, f := range out.Findings {
		switch {
		case c.isKnown(f.Signature):
			c.tell(stays + describe(&f))
		case run.SameButLines(f.Signature.String(), c.Signature):
			return "it still fails: " + describe(&f), nil
		default:
			return "it fails in another way: " + describe(&f), nil
		}
	}
	if why := cmp.Or(c.leftBehind(out), c.endless(out)); why != "" {
		return why, nil
	}
	switch out.Status {
	case search.Clean:
		c.verdict = report.FixProved
	case search.Searched, search.Failing: // failing: of known ones
		c.verdict = cmp.Or(c.verdict, report.FixSearched)
	case search.FailsAlways:
		return "it fails in every schedule: " + out.Reason, nil
	case search.NotControllable:
		return "its runs can't be repeated: " + out.Reason, nil
	case search.Error:
		return "", errors.New(out.Reason)
	default:
		return outOfTime, nil
	}
	return "", nil
}

// leftBehind is for goroutines that every run leaves behind, which a search counts as no
// failure: with the fix there must be none but those that every run left behind before,
// and that the finding is not about.
func (c *check) leftBehind(out *search.Outcome) string {
	for _, place := range out.AlwaysLeaks {
		if !slices.ContainsFunc(c.always, func(was string) bool { return !concerns(c.Signature, was) && c.moved(was) == place }) &&
			!slices.ContainsFunc(c.Known, func(k string) bool { return concerns(c.moved(k), place) }) {
			return "every run leaves a goroutine behind at " + place
		}
	}
	return ""
}

// mostEndless is the share of schedules, in percent, that may come to no end with the fix
// though it was less before: what is close to a limit of time passes it by chance.
const mostEndless = 2

// endless is for runs that came to no end, of which a search says nothing.
func (c *check) endless(out *search.Outcome) string {
	n := out.Limits + out.Hangs
	if n*100 > mostEndless*out.Schedules && n*c.base.Schedules > 2*(c.base.Limits+c.base.Hangs)*out.Schedules {
		return fmt.Sprintf("%d of %d schedules came to no end", n, out.Schedules)
	}
	return ""
}

// describe names a failure of a search, in a line.
func describe(f *search.Finding) string {
	words := f.Words()
	switch f.Signature.Kind {
	case trace.Raced:
		return "a data race at " + words
	case trace.Deadlocked:
		return "a deadlock at " + words
	case trace.Leaked:
		return "goroutines that are left behind at " + words
	case trace.Livelock:
		return "a livelock at " + words
	}
	return words
}

// search searches a version of the program. With first, the failing schedule is tried
// before others. The known findings don't end it.
func (v *Verifier) search(ctx context.Context, p *version, t target.Target, seed uint64, n int, first bool) (*search.Outcome, error) {
	return v.searchPast(ctx, p, t, seed, n, first, len(v.Known))
}

// search is the verifier's, which what stays with the edit does not end either.
func (c *check) search(ctx context.Context, p *version, t target.Target, seed uint64, n int, first bool) (*search.Outcome, error) {
	return c.searchPast(ctx, p, t, seed, n, first, len(c.Known)+len(c.staying))
}

// searchPast is a search that so many failures don't end.
func (v *Verifier) searchPast(ctx context.Context, p *version, t target.Target, seed uint64, n int, first bool, skip int) (*search.Outcome, error) {
	runner, err := p.control(ctx, t)
	if err != nil {
		return nil, err
	}
	n = min(n, v.Most)
	conf := search.Config{Seed: seed, Predict: true}
	opt := search.Options{Schedules: n, Seed: seed, StopAfter: 1 + skip, Delay: v.Delay, Blind: run.BlindOf(runner)}
	if skip > 0 {
		opt.RaceExtra = n
	}
	if first {
		conf.First, opt.Replays = []run.Spec{{Strategy: run.Replay, Schedule: v.Schedule}}, 1
	}
	if opt.Strategy, err = search.Make(v.Strategy, conf); err != nil {
		return nil, err
	}
	return search.Run(ctx, runner, 0, opt, nil), ctx.Err()
}

// sensitive asks whether the search of the fix would have found the failure: without the
// fix, with statements that change nothing in its place, it must be found by each seed
// within a third of the schedules. If that takes more than was searched, the fix is
// searched with more. A proof needs none of it.
func (c *check) sensitive(ctx context.Context) (string, error) {
	if c.verdict == report.FixProved {
		return "", nil
	}
	p, err := c.withoutFix(ctx)
	if err != nil {
		return "", err
	}
	defer p.close()
	most := 0
	for seed := range uint64(Seeds) {
		at, tried, err := c.takes(ctx, p, seed+2)
		if err != nil {
			return "", err
		}
		if at == 0 {
			return fmt.Sprintf("the search says nothing: without the fix %d schedules did not fail either", tried), nil
		}
		most = max(most, at)
	}
	need := Seeds * most
	if need <= c.fix.Schedules {
		return "", nil
	}
	out, err := c.search(ctx, c.with, c.Target, 5, need, false)
	if err != nil {
		return "", err
	}
	if why, err := c.judge(out); why != "" || err != nil {
		return why, err
	}
	if c.verdict != report.FixProved && c.fix.Schedules < need {
		return fmt.Sprintf("only %d schedules could be searched; without the fix it took %d to fail", c.fix.Schedules, most), nil
	}
	return "", nil
}

// takes is how many schedules of a seed it takes to find the failure in the program without
// the fix, and how many were tried; 0 if it was not found. What stays does not end a search:
// then a short one comes first, whose schedules are the first of a longer one.
func (c *check) takes(ctx context.Context, p *version, seed uint64) (at, tried int, err error) {
	sizes := []int{c.Most / 3}
	if len(c.Known)+len(c.staying) > 0 {
		sizes = []int{c.Most / 60, c.Most / 12, c.Most / 3}
	}
	for _, n := range sizes {
		out, err := c.search(ctx, p, c.Target, seed, n, false)
		if err != nil {
			return 0, 0, err
		}
		if at, tried = c.foundAfter(out), out.Schedules; at > 0 {
			break
		}
	}
	return at, tried, nil
}

// withoutFix is the program without the fix, with statements that change nothing in its
// place; without these where they can't stand.
func (c *check) withoutFix(ctx context.Context) (*version, error) {
	texts, err := withNoops(c.before, c.files)
	if err != nil {
		return nil, err
	}
	p, err := c.version(texts)
	if err != nil {
		return nil, err
	}
	if _, err := p.control(ctx, c.Target); err == nil || ctx.Err() != nil {
		return p, ctx.Err()
	}
	p.close()
	return c.version(nil)
}

// foundAfter is how many schedules a search of the program without the fix took to find
// the failure, 0 if it did not. Another failure that is none of the known ones counts,
// too: the search of the fix showed none of either, and which comes first is chance.
func (c *check) foundAfter(out *search.Outcome) int {
	if out.Status == search.FailsAlways || slices.ContainsFunc(out.AlwaysLeaks, func(p string) bool { return concerns(c.Signature, p) }) {
		return 1 // every run shows it
	}
	best := 0
	for _, f := range out.Findings {
		if !c.isOther(f.Signature) && (best == 0 || f.Attempt+1 < best) {
			best = f.Attempt + 1
		}
	}
	return best
}
