package engine

import (
	"context"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/store"
)

// Limits of the replays of earlier findings, per target.
const (
	knownRuns = 5
	knownMost = 20 // findings, the newest ones
)

// known replays the findings of earlier searches of the target before it is
// searched: editors and the store learn which of them are gone, and those that
// are not come first in the search, so that a bug that is still there is found
// at once. The replays take at most a tenth of the time that is left.
func (p *pipeline) known(ctx context.Context) []run.Spec {
	ctx, cancel := context.WithTimeout(ctx, time.Until(p.deadline)/10)
	defer cancel()
	var still []run.Spec
	for _, r := range p.earlier() {
		spec := run.Spec{Strategy: run.Replay, Schedule: portable(r.Schedule, p.env.Roots().Abs)}
		runs, failed := 0, 0
		for range knownRuns {
			res, err := p.runner.Run(ctx, spec)
			if err != nil {
				break
			}
			runs++
			if showsAgain(res, r.Signature) {
				failed++
			}
		}
		if failed > 0 {
			still = append(still, spec)
		}
		if runs > 0 {
			p.keepReplay(r, runs, failed)
		}
	}
	return still
}

// earlier are the stored findings of the target, made with the same flags and
// arguments, newest first.
func (p *pipeline) earlier() []*store.Record {
	if p.store == nil {
		return nil
	}
	t := p.job.Target
	var mine []*store.Record
	for _, r := range p.records() {
		if r.Package == t.Package && r.Entry == t.Entry && r.Main == t.Main && r.TestRun == t.TestRun &&
			r.Flags == p.opt.Flags && slices.Equal(r.Args, t.Args) && len(mine) < knownMost {
			mine = append(mine, r)
		}
	}
	return mine
}

// records are the stored findings as they were when the first target asked.
func (s *session) records() []*store.Record {
	s.recordsOnce.Do(func() { s.stored, _ = s.store.List() })
	return s.stored
}

// keepReplay leaves the outcome for editors and later calls. A replay that says
// less than the stored one about the same sources is not kept.
func (p *pipeline) keepReplay(r *store.Record, runs, failed int) {
	sums := p.sourcesOf(p.job.Dir).sums(p.env.Roots(), p.job.Dir, r.Finding)
	last, err := p.store.LastReplay(r)
	if err == nil && last != nil && last.Sources.SameAs(sums) && (last.Failed > 0) == (failed > 0) && last.Runs >= runs {
		return
	}
	if failed == runs && sums.SameAs(r.Sources) {
		return // nothing new: the finding says more
	}
	kept := &store.Replay{When: time.Now().UTC(), Level: "controlled", Runs: runs, Failed: failed, Sources: sums}
	if err := p.store.PutReplay(r.Finding.ID, kept); err != nil {
		p.obstacle("keep the outcome of the replay of "+r.Finding.ID, err)
	}
}
