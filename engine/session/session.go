// Package session is one call of Find: from options to a report. It finds the
// targets, hunts on them, and is the hunt's Sink: findings go into the report,
// which can be taken at any moment, and into the store.
//
// Invariants:
//   - Every target is in the report from the start, as not reached.
//   - Findings are replaced as they get further, never changed.
//   - A finding of the report is in the store, or says that it is not.
//   - Problems of one target are in its line of the report. An error is for
//     problems that make the whole call impossible.
package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// session is one call of Find: the Sink that makes a report of a hunt, and
// stores what is found. The report can be taken at any moment: every target is
// in it from the start, as cut short with nothing covered, and findings are
// replaced when they reach a higher level, never changed.
type session struct {
	opt      Options
	env      *target.Env
	store    *store.Store   // nil: findings can't be kept
	overlay  *overlay.Files // texts that are not saved; nil: none
	stages   ladder.Stages
	jobs     []*hunt.Job
	records  map[string]*store.Record // the earlier findings of jobs, by id
	before   map[string]bool          // ids of the findings that were stored before
	start    time.Time
	deadline time.Time

	releasing sync.Mutex   // held while a finding is released: none is in the report that is not kept
	ended     bool         // guarded by releasing: the report is about to be taken
	stored    *store.Cache // guarded by releasing; nil as the store

	encoded map[*trace.Trace][]byte // guarded by releasing: of findings that are kept again as they get further

	mu    sync.Mutex // guards what follows
	rep   report.Report
	line  map[*hunt.Job]int // of rep.Targets
	state progress.Update
	held  map[*search.Finding]*hunt.Found
	ids   map[*search.Finding]string // that they were published under
	also  map[string][]report.Also   // what else the bugs of findings lead to, by id
	hosts map[string]string          // by id of a finding that was taken back: the one that tells of its bug
	show  progress.Func

	befores map[*hunt.Job]*before // filled before the hunt
}

func newSession(opt Options, tell progress.Func) *session {
	s := &session{opt: opt, start: time.Now(), show: tell, line: map[*hunt.Job]int{},
		held: map[*search.Finding]*hunt.Found{}, ids: map[*search.Finding]string{}, also: map[string][]report.Also{}, hosts: map[string]string{}, before: map[string]bool{}, befores: map[*hunt.Job]*before{}, encoded: map[*trace.Trace][]byte{}, records: map[string]*store.Record{}}
	s.deadline = s.start.Add(opt.Budget)
	s.rep = report.Report{Version: report.Version, Package: patterns(opt.Patterns), Targets: []*report.Target{}, Findings: []*report.Finding{}}
	if s.show == nil {
		s.show = func(progress.Update) {}
	}
	return s
}

// add enters a target; j is nil for one that can't be run.
func (s *session) add(line *report.Target, j *hunt.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rep.Targets = append(s.rep.Targets, line)
	if j != nil {
		s.jobs = append(s.jobs, j)
		s.line[j] = len(s.rep.Targets) - 1
		s.state.Targets++
		s.state.Planned += j.Schedules
	}
}

// Target replaces a target's line.
func (s *session) Target(j *hunt.Job, change func(*report.Target)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := *s.rep.Targets[s.line[j]]
	change(&line)
	s.rep.Targets[s.line[j]] = &line
}

// publish enters a finding, or replaces the one with its id.
func (s *session) publish(f *report.Finding) {
	f = shallow(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, old := range s.rep.Findings {
		if old.ID == f.ID {
			s.rep.Findings[i] = f
			return
		}
	}
	s.rep.Findings = append(s.rep.Findings, f)
}

// Hold keeps f to be released at the end, unless the hunt gets further.
func (s *session) Hold(f *hunt.Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[f.Caught] = f
}

// Drop takes back what was held and published about a failure.
func (s *session) Drop(caught *search.Finding) {
	s.releasing.Lock()
	defer s.releasing.Unlock()
	if s.ended {
		return
	}
	s.mu.Lock()
	delete(s.held, caught)
	id := s.ids[caught]
	delete(s.ids, caught)
	s.mu.Unlock()
	s.withdraw(id)
}

// withdraw removes a finding of this call from the report and the store, unless it
// is published for another failure too.
func (s *session) withdraw(id string) {
	s.mu.Lock()
	shared := slices.Contains(slices.Collect(maps.Values(s.ids)), id)
	if id != "" && !shared {
		s.rep.Findings = slices.DeleteFunc(slices.Clone(s.rep.Findings), func(f *report.Finding) bool { return f.ID == id })
	}
	s.mu.Unlock()
	if id != "" && !shared && s.store != nil && !s.before[id] {
		s.store.Remove(id)
	}
}

// Release publishes the finding and keeps it, unless the report has been taken.
func (s *session) Release(f *hunt.Found) {
	s.releasing.Lock()
	defer s.releasing.Unlock()
	if !s.ended {
		s.mu.Lock()
		delete(s.held, f.Caught)
		s.mu.Unlock()
		s.release(f)
	}
}

// releaseHeld publishes what is held at the end of the call. It waits for the
// finding that is being stored; work that ends later releases none.
func (s *session) releaseHeld() {
	s.releasing.Lock()
	defer s.releasing.Unlock()
	s.ended = true
	s.mu.Lock()
	held := slices.Collect(maps.Values(s.held))
	s.mu.Unlock()
	for _, f := range held {
		s.release(f)
		s.Target(f.Job, func(t *report.Target) {
			if t.Status == report.CutShort || t.Status == report.NotReached {
				t.Status, t.Error = report.Failing, ""
			}
		})
	}
}

// release is Release for callers that hold the lock.
func (s *session) release(f *hunt.Found) {
	it := f.Finding
	it.SameAs = s.told(it.SameAs)
	s.recorded(it)
	s.identify(f)
	if s.isAnotherSign(it) {
		return
	}
	if it.SameAs == "" {
		it.SameAs = s.elsewhere(it)
	}
	s.gather(it)
	err := error(nil)
	it.Unkept = false // of an earlier try
	shown := it
	if s.store != nil {
		var better *report.Finding
		if better, err = s.keep(f); better != nil {
			shown = better
		}
	}
	it.Unkept = s.store == nil || err != nil && !s.isStored(it.ID)
	s.publish(shown)
	switch {
	case err != nil && it.Unkept:
		s.Warn(fmt.Sprintf("finding %s is not kept: %s; fix that and search again, to replay and explain it", it.ID, words.OneLine(err.Error())))
	case err != nil:
		s.Warn(fmt.Sprintf("finding %s is not kept in full: %s", it.ID, words.OneLine(err.Error())))
	}
}

// recorded marks the finding that is the failure of the recorded run which the search
// is of: to have followed that is evidence from the ordinary scheduler.
func (s *session) recorded(it *report.Finding) {
	rec := s.opt.Recorded
	if rec == nil || !rec.Is(it.Kind, it.Message) {
		return
	}
	it.Recorded = rec
	if p := rec.Paths; p != nil && p.Found {
		it.Search.Attempts, it.Search.Synthesized = p.Attempts, p.Computed
	}
	if rec.Certain() {
		it.Confirmed, it.NativeNote = report.Native, ""
	}
}

// identify gives the finding its id. Once published, it keeps that, unless its
// explanation shows that it is a finding of an earlier search.
func (s *session) identify(f *hunt.Found) {
	it := f.Finding
	s.mu.Lock()
	id := s.ids[f.Caught]
	s.mu.Unlock()
	if id == "" || f.Explanation != nil {
		known := s.known()
		known = slices.DeleteFunc(known, func(r *store.Record) bool { return r.Finding.ID == id && !s.before[id] })
		store.Identify(it, known, s.env.Roots(), f.Job.Sources().Read)
		it.ID = unexplainedTwin(known, it, f.Signature, f.Explanation != nil)
	}
	was := id
	if id == "" || s.before[it.ID] {
		id = it.ID
	}
	it.ID = id
	s.mu.Lock()
	s.ids[f.Caught] = id
	s.mu.Unlock()
	if was != id {
		s.withdraw(was)
	}
}

// known are the stored findings, newest first. Files that are as they were are not
// read again: a module may have hundreds.
func (s *session) known() (all []*store.Record) {
	if s.stored == nil {
		return nil
	}
	items, _ := s.stored.Load()
	for _, it := range items {
		all = append(all, it.Record)
	}
	return all
}

// isStored reports whether there is a record of the finding, perhaps an earlier one.
func (s *session) isStored(id string) bool {
	_, err := s.store.Get(id)
	return err == nil
}

func shallow(f *report.Finding) *report.Finding {
	c := *f
	return &c
}

func (s *session) snapshot() *report.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := s.rep
	rep.Targets = append([]*report.Target{}, s.rep.Targets...)
	rep.Findings = append([]*report.Finding{}, s.rep.Findings...)
	rep.Warnings = append([]string(nil), s.rep.Warnings...)
	shown := max(timeDependentMost, len(rep.Targets)/targetsForEach)
	if s.opt.TimeDependent == timeDependentHide {
		shown = 0
	}
	hideTimeDependent(&rep, shown)
	s.show = func(progress.Update) {} // work that goes on after the end is not shown
	return &rep
}

// Progress changes the state of progress and shows it.
func (s *session) Progress(change func(*progress.Update)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
	s.tell("")
}

// Note shows a line with the progress.
func (s *session) Note(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(message)
}

// Warn puts a line into the report, once, and shows it.
func (s *session) Warn(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.rep.Warnings, message) {
		return
	}
	s.rep.Warnings = append(s.rep.Warnings, message)
	s.tell(message)
}

func (s *session) tell(message string) {
	u := s.state
	u.Message = message
	u.Findings, u.Best = len(s.rep.Findings), best(s.rep.Findings)
	u.Elapsed = time.Since(s.start)
	u.Left = max(0, time.Until(s.deadline))
	s.show(u)
}

// best is the headline of the finding with the highest level; of equals, the
// first.
func best(all []*report.Finding) string {
	rank := map[report.Level]int{report.Controlled: 1, report.Pinned: 2, report.RaceProved: 3, report.Native: 4}
	var top *report.Finding
	for _, f := range all {
		if top == nil || rank[f.Confirmed] > rank[top.Confirmed] {
			top = f
		}
	}
	if top == nil {
		return ""
	}
	return top.Headline()
}

func patterns(p []string) string {
	if len(p) == 0 {
		return "."
	}
	return strings.Join(p, " ")
}
