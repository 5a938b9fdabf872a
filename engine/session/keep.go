package session

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/version"
	"github.com/hocket-dev/hocket/internal/words"
)

// keep writes a finding into the store, without paths of this machine. It does
// not replace a stored finding of the same sources about which more is known,
// as when this search was cut short or still tries builds: it returns that one.
func (s *session) keep(f *hunt.Found) (better *report.Finding, err error) {
	roots := s.env.Roots()
	proj, err := json.Marshal(f.Explanation)
	if err != nil {
		return nil, fmt.Errorf("encode the explanation: %w", err)
	}
	traces := map[string][]byte{}
	for role, t := range map[string]*trace.Trace{stored.Failing: f.Fail, stored.Passing: f.Pass} {
		if t == nil {
			continue
		}
		if s.encoded[t] == nil {
			if s.encoded[t], err = stored.Encode(t, roots.Name); err != nil {
				return nil, fmt.Errorf("encode the %s trace: %w", role, err)
			}
		}
		traces[role] = s.encoded[t]
	}
	if !f.Finding.Unfinished { // it is not kept again
		delete(s.encoded, f.Fail)
		delete(s.encoded, f.Pass)
	}
	t, src := f.Job.Target, f.Job.Sources()
	r := &store.Record{
		Found: f.Started.UTC(), Hocket: version.Version(), GoVersion: s.env.GoVersion, Module: s.env.ModulePath,
		Package: t.Package, Entry: t.Entry, Main: t.Main, TestRun: t.TestRun, Args: t.Args, Flags: f.Job.Flags,
		Sources: stored.SumsOf(src, roots, t.Dir, stored.FilesOf(f.Finding)), Finding: f.Finding,
		Schedule: f.Schedule, Hash: f.Hash,
		Signature: f.Signature, Projection: proj,
	}
	for _, e := range f.Core {
		r.Core = append(r.Core, [2]int{e.Before, e.After})
	}
	r.Path = stored.PathOf(f.Fail, r.Sources, src, roots)
	if old, err := s.store.Get(f.Finding.ID); err == nil && outranks(old, r) {
		return old.Finding, nil
	}
	return nil, s.store.Put(r, traces, stored.TextsFor(src, roots, stored.ShownFiles(f.Finding, f.Explanation)))
}

// keepAgain enters into the stored record of a finding what other findings changed in it.
func (s *session) keepAgain(f *report.Finding) {
	if s.store == nil {
		return
	}
	if err := s.enter(f); err != nil {
		s.Warn(fmt.Sprintf("what else finding %s leads to is not kept: %s", f.ID, words.OneLine(err.Error())))
	}
}

func (s *session) enter(f *report.Finding) error {
	r, err := s.store.Get(f.ID)
	if err != nil {
		return nil // it is kept when it is released again, or can't be
	}
	r.Finding.Also, r.Finding.Confirmed, r.Finding.SameAs = f.Also, f.Confirmed, f.SameAs
	traces := map[string][]byte{}
	for role := range r.Traces {
		if traces[role], err = s.store.Trace(r, role); err != nil {
			return err
		}
	}
	texts, err := s.store.Texts(r)
	if err != nil {
		return err
	}
	return s.store.Put(r, traces, texts)
}

// outranks reports whether more is known about a stored finding than about the
// same one found again in the same sources.
func outranks(old, again *store.Record) bool {
	if old.Finding.ID != again.Finding.ID || old.Hocket != again.Hocket || old.GoVersion != again.GoVersion ||
		old.Flags != again.Flags || !slices.Equal(old.Args, again.Args) || !again.Sources.SameAs(old.Sources) {
		return false
	}
	return slices.Compare(strength(old), strength(again)) > 0
}

// unexplainedTwin is the id for a finding that was identified by its root cause,
// which is not known in full when a search is cut short: that of a stored
// finding which fails in the same way, if either lacks its explanation.
func unexplainedTwin(known []*store.Record, f *report.Finding, signature string, explained bool) string {
	id := f.ID
	for _, r := range known {
		if r.Finding.ID == f.ID {
			return f.ID
		}
		if r.Package == f.Package && r.Entry == f.Entry && r.Finding.Kind == f.Kind && run.SameButLines(r.Signature, signature) &&
			!(explained && isExplained(r)) {
			id = r.Finding.ID
		}
	}
	return id
}

func isExplained(r *store.Record) bool {
	return len(r.Projection) > 0 && string(r.Projection) != "null"
}

// strength orders findings by how much is known about them: the level, whether
// there is an explanation, the replays.
func strength(r *store.Record) []int {
	level := map[report.Level]int{report.RaceProved: 1, report.Pinned: 2, report.Native: 3}[r.Finding.Confirmed]
	explained := 0
	if isExplained(r) {
		explained = 1
	}
	done := 1
	if r.Finding.Unfinished {
		done = 0
	}
	return []int{level, explained, r.Finding.Replay.Failed, done}
}
