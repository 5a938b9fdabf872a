package stored

import (
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/internal/version"
	"github.com/hocket-dev/hocket/internal/words"
)

// replayAndKeep replays, and keeps the outcome beside the finding, so that
// editors and the command line see each other's. An outcome that can't be kept
// is said, and no error: the replay itself was done.
func (a *Opened) replayAndKeep(opt ReplayOptions, tell progress.Func, run func() (*Replayed, error)) (*Replayed, error) {
	id := a.Record.Finding.ID
	roots := a.Env.Roots()
	sums := store.Sum(roots, a.Target.Dir, filesOf(a.Record.Finding)) // before the build reads them
	res, err := run()
	if res == nil || res.Count.Runs == 0 {
		return res, err
	}
	l := &store.Replay{When: time.Now().UTC(), Level: opt.Level, Runs: res.Count.Runs, Failed: res.Count.Failed,
		Sources: sums, Go: a.Env.GoVersion, Hocket: version.Version()}
	if last, err := a.Store.LastReplay(a.Record); err == nil && last != nil && l.Failed == 0 && last.Sources.SameAs(sums) {
		l.Searched = last.Searched // no less than it was
	}
	a.judge(res, lastReplay(a.Record, l))
	kept := a.Store.PutReplay(id, l)
	if kept != nil {
		tell(progress.Update{Message: "the outcome of the replay of " + id + " is not kept: " + words.OneLine(kept.Error()), Left: -1})
	}
	return res, err
}

// judge says what a replay tells of the finding.
func (a *Opened) judge(res *Replayed, l *LastReplay) {
	res.Outcome = l.Outcome
	if l.Outcome != Outdated {
		return
	}
	res.Outdated = a.whyOutdated()
	res.Note = strings.TrimPrefix(res.Note+"; that does not show that it is fixed: run hocket find", "; ")
}

// whyOutdated is one line about what changed since the finding was made, among
// it what matters only if the schedule no longer leads to the failure.
func (a *Opened) whyOutdated() string {
	why := a.Record.Outdated(a.Env.Roots(), a.Env.GoVersion)
	if other := a.Record.OtherHocket(version.Version()); other != "" {
		why = strings.TrimPrefix(why+"; "+other, "; ")
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("finding %s is outdated: %s", a.Record.Finding.ID, why)
}
