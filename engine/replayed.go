package engine

import (
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
	kept := a.store.PutReplay(id, &store.Replay{When: time.Now().UTC(), Level: opt.Level,
		Runs: res.Count.Runs, Failed: res.Count.Failed, Sources: sums})
	if kept != nil {
		progress(Update{Message: "the outcome of the replay of " + id + " is not kept: " + oneLine(kept.Error()), Left: -1})
	}
	return res, err
}
