package engine

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
)

// session is one call of Find. The report can be taken at any moment: every
// target is in it from the start, as cut short with nothing covered, and
// findings are replaced as they climb the ladder, never changed.
type session struct {
	opt      FindOptions
	env      *target.Env
	overlay  *overlay.Files // texts that are not saved; nil: none
	store    *store.Store   // nil: findings can't be kept
	stages   stages
	jobs     []*job
	start    time.Time
	deadline time.Time

	recordsOnce sync.Once
	stored      []*store.Record // by records

	releasing sync.Mutex // held while a finding is released: none is in the report that is not kept
	ended     bool       // guarded by releasing: the report is about to be taken

	mu       sync.Mutex // guards what follows
	rep      report.Report
	state    Update
	ids      map[string]bool     // of this report's findings
	read     map[string]*sources // by package folder
	held     map[*confirmation]*confirmation
	progress Progress
}

// job is one target and its line of the report.
type job struct {
	target.Target
	at int // index in report.Targets
}

func newSession(opt FindOptions, progress Progress) *session {
	s := &session{opt: opt, start: time.Now(), progress: progress, ids: map[string]bool{},
		read: map[string]*sources{}, held: map[*confirmation]*confirmation{}}
	s.deadline = s.start.Add(opt.Budget)
	s.rep = report.Report{Version: report.Version, Package: patterns(opt.Patterns), Targets: []*report.Target{}, Findings: []*report.Finding{}}
	if s.progress == nil {
		s.progress = func(Update) {}
	}
	return s
}

// add enters a target; t is nil for one that can't be run.
func (s *session) add(line *report.Target, t *target.Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rep.Targets = append(s.rep.Targets, line)
	if t != nil {
		s.jobs = append(s.jobs, &job{Target: *t, at: len(s.rep.Targets) - 1})
		s.state.Targets++
		s.state.Planned += s.opt.Schedules
	}
}

// set replaces a target's line.
func (s *session) set(j *job, change func(*report.Target)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := *s.rep.Targets[j.at]
	change(&line)
	s.rep.Targets[j.at] = &line
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
	s.ids[f.ID] = true
}

// hold keeps e to be released at the end unless c gets further; nil: it did.
func (s *session) hold(c, e *confirmation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, c)
	if e != nil {
		s.held[c] = e
	}
}

// releaseHeld publishes what the end of the call left half done. It waits for
// the finding that is being kept; work that is wound up after that releases
// none.
func (s *session) releaseHeld() {
	s.releasing.Lock()
	defer s.releasing.Unlock()
	s.ended = true
	s.mu.Lock()
	held := slices.Collect(maps.Values(s.held))
	s.mu.Unlock()
	for _, e := range held {
		e.keepReported()
		e.give(report.Failing, "")
	}
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
	s.progress = func(Update) {} // work that is being wound up is not shown
	return &rep
}

// tell changes the state of progress and shows it.
func (s *session) tell(change func(*Update)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
	s.show("")
}

func (s *session) say(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show(message)
}

func (s *session) warn(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.rep.Warnings, message) {
		return
	}
	s.rep.Warnings = append(s.rep.Warnings, message)
	s.show(message)
}

func (s *session) show(message string) {
	u := s.state
	u.Message = message
	u.Findings, u.Best = len(s.rep.Findings), best(s.rep.Findings)
	u.Elapsed = time.Since(s.start)
	u.Left = max(0, time.Until(s.deadline))
	s.progress(u)
}

// best is the headline of the finding that got furthest up the ladder; of
// equals, the first.
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
