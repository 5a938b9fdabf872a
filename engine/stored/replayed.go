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

// replayAndKeep replays, and stores the outcome with the finding, so that
// editors and the command line see each other's. If it can't be stored, a note
// says so, without an error: the replay itself was done.
func (a *Opened) replayAndKeep(opt ReplayOptions, tell progress.Func, run func() (*Replayed, error)) (*Replayed, error) {
	id := a.Record.Finding.ID
	l := a.newReplay() // before the build reads the sources
	res, err := run()
	if res == nil || res.Count.Runs == 0 {
		return res, err
	}
	l.When, l.Level, l.Runs, l.Failed = time.Now().UTC(), opt.Level, res.Count.Runs, res.Count.Failed
	if last, err := a.Store.LastReplay(a.Record); err == nil && last != nil && l.Failed == 0 && last.SameSources(l) {
		l.Searched = last.Searched // no less than it was
	}
	a.judge(res, l)
	kept := a.Store.PutReplay(id, l)
	if kept != nil {
		tell(progress.Update{Message: "the outcome of the replay of " + id + " is not kept: " + words.OneLine(kept.Error()), Left: -1})
	}
	return res, err
}

// judge returns the outcome that a replay shows.
func (a *Opened) judge(res *Replayed, l *store.Replay) {
	res.Outcome = lastReplay(a.Record, l).Outcome
	if l.Failed > 0 || l.Why() == "" {
		return
	}
	res.Outdated = a.outdatedBy(l)
	if res.Outcome == Fixed {
		res.Note = strings.TrimPrefix(res.Note+"; it is fixed: "+store.Reasons(l.Changed, "")+", and a search of these sources ended without it", "; ")
		return
	}
	res.Outcome = Outdated // without changed files: another build
	res.Note = strings.TrimPrefix(res.Note+"; that does not show that it is fixed: run hocket find", "; ")
}

// newReplay returns a replay on the sources on disk, with no runs yet.
func (a *Opened) newReplay() *store.Replay {
	return a.Record.NewReplay(store.Sum(a.Env.Roots(), a.Target.Dir, a.Record.Files()), a.Env.GoVersion, version.Version())
}

func (a *Opened) outdatedBy(l *store.Replay) string {
	return fmt.Sprintf("finding %s is outdated: %s", a.Record.Finding.ID, l.Why())
}

// Fixed reports whether a search of the sources at hand ended without the finding, which
// was made on others.
func (a *Opened) Fixed() bool {
	last, err := a.Store.LastReplay(a.Record)
	return err == nil && last != nil && lastReplay(a.Record, last).Outcome == Fixed && last.SameSources(a.newReplay())
}
