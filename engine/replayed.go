package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/store"
)

// replayAndKeep replays, and keeps the outcome beside the finding, so that
// editors and the command line see each other's. An outcome that can't be kept
// is said, and no error: the replay itself was done.
func (a *again) replayAndKeep(opt ReplayOptions, progress Progress, run func() (*Replayed, error)) (*Replayed, error) {
	id := a.record.Finding.ID
	roots := a.env.Roots()
	sums := store.Sum(roots, a.target.Dir, filesOf(a.record.Finding)) // before the build reads them
	res, err := run()
	if res == nil || res.Count.Runs == 0 {
		return res, err
	}
	l := &store.Replay{When: time.Now().UTC(), Level: opt.Level, Runs: res.Count.Runs, Failed: res.Count.Failed,
		Sources: sums, Go: a.env.GoVersion, Hocket: Version()}
	if last, err := a.store.LastReplay(a.record); err == nil && last != nil && l.Failed == 0 && last.Sources.SameAs(sums) {
		l.Searched = last.Searched // no less than it was
	}
	a.judge(res, lastReplay(a.record, l))
	kept := a.store.PutReplay(id, l)
	if kept != nil {
		progress(Update{Message: "the outcome of the replay of " + id + " is not kept: " + oneLine(kept.Error()), Left: -1})
	}
	return res, err
}

// judge says what a replay tells of the finding.
func (a *again) judge(res *Replayed, l *LastReplay) {
	res.Outcome = l.Outcome
	if l.Outcome != Outdated {
		return
	}
	res.Outdated = a.whyOutdated()
	res.Note = strings.TrimPrefix(res.Note+"; that does not show that it is fixed: run hocket find", "; ")
}

// whyOutdated is one line about what changed since the finding was made, among
// it what matters only if the schedule no longer leads to the failure.
func (a *again) whyOutdated() string {
	why := a.record.Outdated(a.env.Roots(), a.env.GoVersion)
	if other := a.record.OtherHocket(Version()); other != "" {
		why = strings.TrimPrefix(why+"; "+other, "; ")
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("finding %s is outdated: %s", a.record.Finding.ID, why)
}
