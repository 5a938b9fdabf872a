package stored

import (
	"time"

	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/store"
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
	kept := a.Store.PutReplay(id, &store.Replay{When: time.Now().UTC(), Level: opt.Level,
		Runs: res.Count.Runs, Failed: res.Count.Failed, Sources: sums})
	if kept != nil {
		tell(progress.Update{Message: "the outcome of the replay of " + id + " is not kept: " + words.OneLine(kept.Error()), Left: -1})
	}
	return res, err
}
