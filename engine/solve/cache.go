package solve

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Cache remembers answers by what was asked: the system, the clauses, the goal
// and the assumptions, whichever session asks. It also tries the schedules
// found last for the same system: one may meet another goal by chance. Unknown
// is not remembered, since more time may give an answer.
//
// A Cache may be shared by sessions in several goroutines. Callers don't change
// the results that they get.
func Cache(inner Solver) Solver {
	return &cache{Solver: inner, answers: map[key]Result{}, found: map[key][]*constraint.Schedule{}}
}

const (
	cacheAnswers = 1 << 14 // answers kept, then all are forgotten
	cacheFound   = 4       // schedules of a system that are tried
)

type cache struct {
	Solver
	mu      sync.Mutex
	answers map[key]Result
	found   map[key][]*constraint.Schedule // by system, the last first
}

func (c *cache) New(sys *constraint.System) (Session, error) {
	s, err := c.Solver.New(sys)
	if err != nil {
		return nil, err
	}
	h := newHasher()
	h.system(sys)
	return &cached{scoped: scoped{Session: s}, of: c, sys: sys, system: h.sum()}, nil
}

type cached struct {
	scoped
	of     *cache
	sys    *constraint.System
	system key
}

func (s *cached) Check(b *budget.Budget, goal constraint.Goal, assume ...Assumption) (Result, error) {
	k := s.question(goal, assume)
	if r, ok := s.of.answer(k); ok {
		return r, nil
	}
	if r, ok := s.lucky(goal, assume); ok {
		s.of.keep(k, s.system, r)
		return r, nil
	}
	r, err := s.Session.Check(b, goal, assume...)
	if err == nil && r.Status != Unknown {
		s.of.keep(k, s.system, r)
	}
	return r, err
}

// question is what is asked, as a key. Names count: a core consists of them.
func (s *cached) question(goal constraint.Goal, assume []Assumption) key {
	h := newHasher()
	h.bytes(s.system[:])
	h.clauses(s.scopes.Clauses())
	h.goal(goal)
	h.number(int64(len(assume)))
	for _, a := range assume {
		h.text(a.Name)
		h.clauses(a.Clauses)
	}
	return h.sum()
}

// lucky tries schedules that other goals had.
func (s *cached) lucky(goal constraint.Goal, assume []Assumption) (Result, bool) {
	clauses := s.scopes.Clauses(assume...)
	for _, sch := range s.of.schedules(s.system) {
		if _, why := Accept(s.sys, sch.Order, goal, clauses); why == "" {
			return Result{Status: Sat, Schedule: sch, Solver: "cache", Stats: Stats{Events: len(s.sys.Events), Simulated: 1}}, true
		}
	}
	return Result{}, false
}

func (c *cache) answer(k key) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.answers[k]
	r.Stats = Stats{Events: r.Stats.Events}
	return r, ok
}

func (c *cache) schedules(system key) []*constraint.Schedule {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.found[system])
}

func (c *cache) keep(question, system key, r Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) >= cacheAnswers {
		clear(c.answers)
		clear(c.found)
	}
	c.answers[question] = r
	if r.Status != Sat || slices.Contains(c.found[system], r.Schedule) {
		return
	}
	found := append([]*constraint.Schedule{r.Schedule}, c.found[system]...)
	c.found[system] = found[:min(len(found), cacheFound)]
}

// key is a SHA-256 sum: equal keys are taken for equal questions.
type key [sha256.Size]byte
