package session

import (
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/internal/words"
)

// earlierMost is how many earlier findings of a target are replayed, the newest
// ones.
const earlierMost = 20

// earlier are the stored findings of a job's target, made with the same flags and
// arguments, newest first.
func (s *session) earlier(j *hunt.Job, known []*store.Record) (all []*hunt.Earlier) {
	for _, r := range known {
		if r.Package == j.Package && r.Entry == j.Entry && r.Main == j.Main && r.TestRun == j.TestRun &&
			r.Flags == j.Flags && slices.Equal(r.Args, j.Args) && len(all) < earlierMost {
			s.records[r.Finding.ID] = r
			all = append(all, &hunt.Earlier{ID: r.Finding.ID, Schedule: stored.Portable(r.Schedule, j.Roots.Abs), Signature: r.Signature})
		}
	}
	return all
}

// Replayed leaves the outcome for editors and later calls. A replay that says
// less than the stored one about the same sources is not kept.
func (s *session) Replayed(j *hunt.Job, e *hunt.Earlier, runs, failed int) {
	r := s.records[e.ID]
	sums := stored.SumsOf(j.Sources(), j.Roots, j.Dir, r.Finding)
	last, err := s.store.LastReplay(r)
	if err == nil && last != nil && last.Sources.SameAs(sums) && (last.Failed > 0) == (failed > 0) && last.Runs >= runs {
		return
	}
	if failed == runs && sums.SameAs(r.Sources) {
		return // nothing new: the finding says more
	}
	kept := &store.Replay{When: time.Now().UTC(), Level: "controlled", Runs: runs, Failed: failed, Sources: sums}
	if err := s.store.PutReplay(e.ID, kept); err != nil {
		s.Note(j.Name() + ": keep the outcome of the replay of " + e.ID + ": " + words.OneLine(err.Error()))
	}
}
