package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/internal/version"
	"github.com/hocket-dev/hocket/internal/words"
)

// earlierMost is how many earlier findings of a target are replayed, the newest
// ones.
const earlierMost = 20

// earlier are the stored findings of a job's target, made with the same flags and
// arguments, newest first, that are possible under its memory model; src are the texts of its package as they are now.
func (s *session) earlier(j *hunt.Job, known []*store.Record, src *build.Sources) (all []*hunt.Earlier) {
	for _, r := range known {
		if r.Package == j.Package && r.Entry == j.Entry && r.Main == j.Main && r.TestRun == j.TestRun &&
			r.Flags == j.Flags && slices.Equal(r.Args, j.Args) && j.Memory.Allows(r.Schedule.Memory) && len(all) < earlierMost {
			s.records[r.Finding.ID] = r
			l := r.NewReplay(stored.SumsOf(src, j.Roots, j.Dir, r.Files()), s.env.GoVersion, version.Version())
			all = append(all, &hunt.Earlier{ID: r.Finding.ID, Schedule: r.Schedule, Signature: r.Signature, Planned: r.Finding.Search.Planned,
				Unfinished: r.Finding.Unfinished, Confirmed: !r.Finding.Unfinished && l.Why() == ""})
		}
	}
	return all
}

// Replayed stores the outcome for editors and later calls. A replay that says
// less than the stored one about the same sources is not stored.
func (s *session) Replayed(j *hunt.Job, e *hunt.Earlier, runs, failed int) {
	r := s.records[e.ID]
	l, last := s.newReplay(j, r)
	if last != nil && last.Failed > 0 && failed == 0 {
		return // it was seen to fail on these sources, at another level perhaps
	}
	l.Runs, l.Failed = runs, failed
	l.Searched = failed == 0 && last != nil && last.Failed == 0 && last.Searched
	if why := l.Why(); failed == 0 && !l.Searched && why != "" {
		s.Note(fmt.Sprintf("%s: finding %s is outdated: %s; %d replays did not fail, which does not show that it is fixed", j.Name(), e.ID, why, runs))
	}
	if last != nil && (last.Failed > 0) == (failed > 0) && last.Runs >= runs {
		return
	}
	if failed == runs && l.Sources.SameAs(r.Sources) {
		return // nothing new: the finding says more
	}
	s.putReplay(j, e, l)
}

// Absent records that a finding is fixed; nothing else does.
func (s *session) Absent(j *hunt.Job, e *hunt.Earlier) {
	l, last := s.newReplay(j, s.records[e.ID])
	if last != nil && last.Failed > 0 {
		return // it fails on these sources, though the search did not see it
	}
	if last != nil {
		l.Level, l.Runs = last.Level, last.Runs
	}
	l.Searched = true
	if len(l.Changed) > 0 {
		s.Note(fmt.Sprintf("%s: finding %s is fixed: the search ended without it", j.Name(), e.ID))
	}
	s.putReplay(j, e, l)
}

// Always takes a finding back that was no question of the order: no run is known that
// passed, and the ordinary build failed each time that it was run.
func (s *session) Always(j *hunt.Job, e *hunt.Earlier) {
	s.releasing.Lock()
	defer s.releasing.Unlock()
	r := s.records[e.ID]
	_, passed := r.Traces[stored.Passing]
	if b := r.Finding.Baseline; s.ended || passed || b == nil || b.Failed < b.Runs {
		return
	}
	if err := s.store.Forget(e.ID); err != nil {
		s.Warn(fmt.Sprintf("finding %s fails under every schedule and can't be taken back: %s", e.ID, words.OneLine(err.Error())))
		return
	}
	s.Note(fmt.Sprintf("%s: finding %s is taken back: every schedule that was tried fails so, and each run of the ordinary build", j.Name(), e.ID))
}

// newReplay returns a new replay of a record on the sources that are searched,
// and the last one on the same sources, nil if there was none.
func (s *session) newReplay(j *hunt.Job, r *store.Record) (l, last *store.Replay) {
	l = r.NewReplay(stored.SumsOf(j.Sources(), j.Roots, j.Dir, r.Files()), s.env.GoVersion, version.Version())
	last, err := s.store.LastReplay(r)
	if err != nil || last == nil || !last.SameSources(l) {
		return l, nil
	}
	return l, last
}

// putReplay stores nothing after the report was taken.
func (s *session) putReplay(j *hunt.Job, e *hunt.Earlier, l *store.Replay) {
	s.releasing.Lock()
	defer s.releasing.Unlock()
	if s.ended {
		return
	}
	l.When = time.Now().UTC()
	if err := s.store.PutReplay(e.ID, l); err != nil {
		s.Note(j.Name() + ": keep the outcome of the replay of " + e.ID + ": " + words.OneLine(err.Error()))
	}
}
