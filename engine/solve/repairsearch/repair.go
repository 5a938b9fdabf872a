// Package repairsearch looks for a schedule that is the recorded order plus a
// few extra edges: most concurrency bugs need one or two. A set of edges is
// tried by performing the system greedily, always the thread whose next event
// comes first in the recorded order, with the edges as demands; where that fails
// to reach the goal, edges are added only along the values and the blocked
// threads that are to blame. It is much cheaper than solving and can't show that
// there is no schedule. No product code asks it yet: it will be the first of a chain
// of solvers; today tests and bench/solve compare it with the others.
//
// Invariants: an order is answered only if the Machine performed it and it meets
// goal and clauses; Unsat only where the goal's own edges make a cycle.
package repairsearch

import (
	"container/heap"
	"fmt"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Limits of a search. Zero values are the defaults.
type Limits struct {
	Edges      int // extra edges at once; 4
	Width      int // edges tried at one failure; 24
	Candidates int // sets of edges simulated; 600
}

func (l Limits) defaults() Limits {
	or := func(n, d int) int {
		if n == 0 {
			return d
		}
		return n
	}
	return Limits{Edges: or(l.Edges, 4), Width: or(l.Width, 24), Candidates: or(l.Candidates, 600)}
}

// New makes the solver.
func New(limits Limits) solve.Solver { return solver(limits.defaults()) }

type solver Limits

func (s solver) Name() string { return "repairsearch" }

func (s solver) New(sys *constraint.System) (solve.Session, error) {
	if err := sys.Validate(); err != nil {
		return nil, fmt.Errorf("repairsearch: %w", err)
	}
	return &session{sys: sys, limits: Limits(s), fresh: constraint.NewMachine(sys)}, nil
}

type session struct {
	solve.Scopes
	sys    *constraint.System
	limits Limits
	fresh  *constraint.Machine // nothing performed; to be cloned
	check  *constraint.Checker // made when it is needed
}

func (s *session) checker() *constraint.Checker {
	if s.check == nil {
		s.check = constraint.NewChecker(s.sys)
	}
	return s.check
}

func (s *session) Close() error { return nil }

// edge demands that after is not performed before before has been.
type edge struct{ before, after constraint.EventID }

// attempt is a set of edges to try.
type attempt struct {
	edges []edge // in the order of being added
	cost  float64
	turn  int // among equal costs the oldest goes first
}

func (s *session) Check(b *budget.Budget, goal constraint.Goal, assume ...solve.Assumption) (solve.Result, error) {
	start := time.Now()
	r := solve.Result{Solver: "repairsearch", Stats: solve.Stats{Events: len(s.sys.Events)}}
	q, possible := s.newQuestion(goal, s.Clauses(assume...))
	if !possible {
		r.Status, r.Core = solve.Unsat, []string{}
	} else {
		r.Schedule, r.Reason = s.search(b, q, &r.Stats)
		if r.Schedule != nil {
			r.Status = solve.Sat
		}
	}
	r.Stats.Time = time.Since(start)
	return r, nil
}

// search tries sets of edges, the cheapest first: few, and such as were the
// likeliest of their failure.
func (s *session) search(b *budget.Budget, q *question, stats *solve.Stats) (*constraint.Schedule, string) {
	open := &queue{{}}
	tried := map[string]bool{}
	for turn := 1; open.Len() > 0; {
		if !b.Spend(1) {
			return nil, b.Why()
		}
		if stats.Simulated >= s.limits.Candidates {
			break
		}
		a := heap.Pop(open).(attempt)
		stats.Simulated++
		stats.Decisions = max(stats.Decisions, len(a.edges))
		run := q.perform(b, a.edges)
		if run.cancelled {
			return nil, b.Why()
		}
		if run.reached {
			return run.m.Schedule(), ""
		}
		if len(a.edges) == s.limits.Edges {
			continue
		}
		for rank, e := range run.blame(s.limits.Width) {
			next := attempt{edges: append(a.edges[:len(a.edges):len(a.edges)], e), cost: a.cost + 1 + float64(rank)/8, turn: turn}
			if k := name(next.edges); !tried[k] {
				tried[k] = true
				heap.Push(open, next)
				turn++
			}
		}
	}
	return nil, fmt.Sprintf("no repair found with %d edges at most in %d simulations", s.limits.Edges, stats.Simulated)
}

// name of a set of edges.
func name(edges []edge) string {
	sorted := slices.Clone(edges)
	slices.SortFunc(sorted, func(a, b edge) int {
		if a.before != b.before {
			return int(a.before - b.before)
		}
		return int(a.after - b.after)
	})
	return fmt.Sprint(sorted)
}

// queue is a heap of attempts.
type queue []attempt

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].cost != q[j].cost {
		return q[i].cost < q[j].cost
	}
	return q[i].turn < q[j].turn
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(a any)   { *q = append(*q, a.(attempt)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	a := (*q)[last]
	*q = (*q)[:last]
	return a
}
