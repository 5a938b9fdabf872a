package session

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/internal/version"
	"github.com/hocket-dev/hocket/internal/words"
)

// keepEvery is how often what an open search has tried is written to disk.
const keepEvery = 2 * time.Second

// before is what is known of a job from earlier searches, and what is kept of this
// one.
type before struct {
	of      store.SearchOf
	sources store.Sums
	last    *store.Search // nil: nothing is known
	again   bool          // the program is the one of last
	written time.Time
	now     *store.Search // what this search has kept
}

// resumes is false if this search is to try what its seed says, whatever was tried
// before, and is not to be continued by others.
func (o *Options) resumes() bool { return o.Seed == 0 && o.Aim == nil }

// beforeOf looks up a job; src are the texts of its package as they are now.
func (s *session) beforeOf(j *hunt.Job, src *build.Sources) *before {
	b := &before{of: store.SearchOf{Package: j.Package, Entry: j.Entry, Main: j.Main, TestRun: j.TestRun, Args: j.Args,
		Flags: j.Flags, Strategy: j.Strategy, Depth: j.Depth, Delay: j.Delay, Memory: string(j.Memory)}}
	if s.store != nil && s.opt.resumes() {
		b.sources = stored.SumsOf(src, j.Roots, j.Dir, nil)
		if !s.opt.Fresh {
			b.last = s.store.Search(b.of)
		}
	}
	return b
}

// Past is what earlier searches of the program tried.
func (s *session) Past(j *hunt.Job, program string) hunt.Past {
	b := s.jobBefore(j)
	if b.last == nil {
		return hunt.Past{}
	}
	l := b.last
	if program == "" || l.Program != program || l.Hocket != version.Build() {
		return hunt.Past{Caught: l.Caught}
	}
	b.again = true
	past := hunt.Past{Spent: l.Spent, Caught: l.Caught}
	if j.Strategy != search.Exploring { // which begins with the same schedules whatever the seed
		past.Seed, past.Tried = uint64(l.Searches), min(l.Tried, j.Schedules-1)
	}
	if l.Environ == environ() {
		past.Proved = l.Proved
	}
	return past
}

// ofTheShell are variables that differ from one shell to the next, and that no
// program under test has a reason to read.
var ofTheShell = []string{"PWD", "OLDPWD", "SHLVL", "_", "WINDOWID", "TERM_SESSION_ID", "INVOCATION_ID", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY"}

// environ identifies the environment that programs under test get.
func environ() string {
	var own []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(ofTheShell, name) {
			own = append(own, v)
		}
	}
	slices.Sort(own)
	return store.SumText(strings.Join(own, "\x00"))
}

func (s *session) jobBefore(j *hunt.Job) *before {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.befores[j]
}

// Tried keeps what the search of a job has tried.
func (s *session) Tried(j *hunt.Job, t hunt.Tried) {
	b := s.jobBefore(j)
	if s.store == nil || !s.opt.resumes() || t.Program == "" ||
		!t.Ended && time.Since(b.written) < keepEvery {
		return
	}
	r := &store.Search{SearchOf: b.of, Hocket: version.Build(), Program: t.Program, Sources: b.sources,
		Searches: 1, Tried: t.Schedules, Status: string(t.Status), Proved: t.Proved, Environ: environ(), Caught: t.Caught}
	if b.again && j.Strategy != search.Exploring {
		r.Searches += b.last.Searches
		r.Tried += b.last.Tried
		r.Spent = b.last.Spent
	}
	if t.Status == report.Searched || t.Status == report.Clean || r.Tried >= j.Schedules {
		r.Tried, r.Spent = 0, true
	}
	s.putSearch(j, b, r)
}

// putSearch stores nothing after the report was taken.
func (s *session) putSearch(j *hunt.Job, b *before, r *store.Search) {
	s.releasing.Lock()
	defer s.releasing.Unlock()
	if s.ended {
		return
	}
	b.written, b.now, r.When = time.Now(), r, time.Now().UTC()
	if err := s.store.PutSearch(r); err != nil {
		s.Warn("what was tried can't be kept for the next search: " + words.OneLine(err.Error()))
	}
}

// keepNotReached has the next search begin with what this one did not reach.
func (s *session) keepNotReached() {
	if s.store == nil || !s.opt.resumes() {
		return
	}
	s.releasing.Lock() // work that ends later keeps nothing
	defer s.releasing.Unlock()
	for j, b := range s.befores {
		if b.last != nil && b.now == nil && s.statusOf(j) == report.NotReached {
			r := *b.last
			r.Status = string(report.NotReached)
			s.store.PutSearch(&r)
		}
	}
}

func (s *session) statusOf(j *hunt.Job) report.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rep.Targets[s.line[j]].Status
}

// Ranks of targets: those with a lower one come first.
const (
	rankUnfinished = iota // something was caught and not looked into
	rankChanged           // or new
	rankNotReached
	rankOpen
	rankSpent
	rankProved
)

func (b *before) rank(j *hunt.Job) int {
	switch {
	case slices.ContainsFunc(j.Earlier, func(e *hunt.Earlier) bool { return e.Unfinished }), b.last != nil && len(b.last.Caught) > 0:
		return rankUnfinished
	case b.last == nil || !maps.Equal(b.sources, b.last.Sources):
		return rankChanged
	case b.last.Status == string(report.NotReached):
		return rankNotReached
	case b.last.Proved != "":
		return rankProved
	case b.last.Spent:
		return rankSpent
	}
	return rankOpen
}

// order puts jobs that are worth more first, those of one package after one
// another: they are built together.
func (s *session) order() {
	type program struct {
		dir  string
		main bool
	}
	of := func(j *hunt.Job) program { return program{j.Dir, j.Main} }
	best, at := map[program]int{}, map[program]int{}
	rank := map[*hunt.Job]int{}
	for i, j := range s.jobs {
		p := of(j)
		rank[j] = s.befores[j].rank(j)
		if _, ok := best[p]; !ok {
			best[p], at[p] = rank[j], i
		}
		best[p] = min(best[p], rank[j])
	}
	slices.SortStableFunc(s.jobs, func(a, b *hunt.Job) int {
		return cmp.Or(cmp.Compare(best[of(a)], best[of(b)]), cmp.Compare(at[of(a)], at[of(b)]), cmp.Compare(rank[a], rank[b]))
	})
}
