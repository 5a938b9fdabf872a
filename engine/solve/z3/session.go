package z3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/z3/libz3"
)

// session keeps the clauses of its scopes, so that the encoder can be made anew
// after an interrupt, which may leave Z3's context unusable.
type session struct {
	o      Options
	sys    *constraint.System
	scopes [][]constraint.Clause // the first is not on a Push
	enc    *encoder              // nil: not made
	behind int                   // scopes and clauses that enc does not have yet...
	added  int                   // ...count from here in the last scope it has
	checks int                   // of enc
}

// renewal is after how many checks the encoder is made anew: Z3 keeps some
// hundred bytes of each check for as long as its context lives.
const renewal = 3000

func (s *session) Push() { s.scopes = append(s.scopes, nil) }

func (s *session) Pop() {
	if s.enc != nil && s.behind == len(s.scopes) {
		s.enc.pop()
		s.behind--
		s.added = len(s.scopes[s.behind-1])
	}
	s.scopes = s.scopes[:len(s.scopes)-1]
}

func (s *session) Add(clauses ...constraint.Clause) {
	last := &s.scopes[len(s.scopes)-1]
	*last = append(*last, clauses...)
}

func (s *session) Close() error {
	s.drop()
	return nil
}

func (s *session) drop() {
	if s.enc != nil {
		s.enc.close()
		s.enc = nil
	}
}

// Check makes the formula if need be and asks Z3.
func (s *session) Check(ctx context.Context, goal constraint.Goal, assume ...solve.Assumption) (solve.Result, error) {
	start := time.Now()
	r, err := s.check(ctx, &goal, assume)
	r.Solver, r.Stats.Time, r.Stats.Events = "z3", time.Since(start), len(s.sys.Events)
	return r, err
}

func (s *session) check(ctx context.Context, goal *constraint.Goal, assume []solve.Assumption) (r solve.Result, err error) {
	if err := ctx.Err(); err != nil {
		return solve.Result{Reason: reason(err)}, nil
	}
	if s.checks++; s.checks > renewal {
		s.drop()
	}
	if err := s.catchUp(ctx); err != nil {
		return s.giveUp(err)
	}
	s.enc.push()
	s.enc.goal(goal)
	names := s.enc.assume(assume)
	if err := s.enc.failed(); err != nil {
		return s.giveUp(err)
	}
	answer, err := s.ask(ctx, names)
	if err != nil {
		return s.giveUp(err)
	}
	if answer == libz3.Unknown {
		r.Reason = s.enc.solver.Reason()
	}
	defer s.enc.pop()
	r.Stats = s.enc.stats()
	if answer == libz3.Unsat {
		r.Status, r.Core = solve.Unsat, s.enc.core(assume, names)
	}
	if answer == libz3.Sat {
		r.Status = solve.Sat
		r.Schedule, err = s.enc.schedule(goal)
	}
	return r, err
}

// ask has Z3 check, and leaves it behind when ctx ends: while Z3 takes in a
// formula it looks at no interrupt, sometimes for a second.
func (s *session) ask(ctx context.Context, names []term) (libz3.Answer, error) {
	type reply struct {
		answer libz3.Answer
		err    error
	}
	enc, replies := s.enc, make(chan reply, 1)
	go func() {
		a, err := enc.solver.Check(ctx, names...)
		replies <- reply{a, err}
	}()
	select {
	case r := <-replies:
		if ctx.Err() != nil && r.answer == libz3.Unknown {
			r.err = ctx.Err()
		}
		return r.answer, r.err
	case <-ctx.Done():
		s.enc = nil
		go func() {
			<-replies
			enc.close()
		}()
		return libz3.Unknown, ctx.Err()
	}
}

// giveUp drops the formula, which takes a while if it is large, and makes a cancel or a too large system a result.
func (s *session) giveUp(err error) (solve.Result, error) {
	if s.enc != nil {
		go s.enc.close()
		s.enc = nil
	}
	if why := reason(err); why != "" {
		return solve.Result{Reason: why}, nil
	}
	return solve.Result{}, err
}

// reason words what makes a check Unknown; "" for real errors.
func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "time is up"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, errTooLarge):
		return err.Error()
	}
	return ""
}

// catchUp brings the encoder to the session's scopes.
func (s *session) catchUp(ctx context.Context) (err error) {
	if s.enc == nil {
		if s.enc, err = newEncoder(ctx, s.sys, s.o); err != nil {
			return err
		}
		s.behind, s.added, s.checks = 1, 0, 1
	}
	s.enc.ctx = ctx
	for {
		for _, c := range s.scopes[s.behind-1][s.added:] {
			s.enc.solver.Assert(s.enc.clause(c))
		}
		s.added = len(s.scopes[s.behind-1])
		if s.behind == len(s.scopes) || s.enc.failed() != nil {
			return s.enc.failed()
		}
		s.enc.push()
		s.behind, s.added = s.behind+1, 0
	}
}

// assume asserts the clauses of assumptions, each under a name of its own.
func (n *encoder) assume(assume []solve.Assumption) []term {
	var names []term
	for i, a := range assume {
		name := n.Const(fmt.Sprintf("assume%d", i), n.Bools())
		for _, c := range a.Clauses {
			n.solver.Assert(n.Implies(name, n.clause(c)))
		}
		names = append(names, name)
	}
	return names
}

func (n *encoder) core(assume []solve.Assumption, names []term) []string {
	var core []string
	for _, t := range n.solver.Core() {
		core = append(core, assume[slices.Index(names, t)].Name)
	}
	return core
}

func (n *encoder) stats() solve.Stats {
	m := n.solver.Stats()
	return solve.Stats{Decisions: int(m["decisions"]), Conflicts: int(m["conflicts"])}
}

// schedule reads the model and has it judged: by a machine that knows nothing of
// the formula.
func (n *encoder) schedule(goal *constraint.Goal) (*constraint.Schedule, error) {
	order, err := n.order()
	if err != nil {
		return nil, err
	}
	sch, v := constraint.Simulate(n.sys, order)
	if v == nil {
		v = n.sys.Meets(sch, *goal)
	}
	if v != nil {
		return nil, fmt.Errorf("z3: its schedule %v is not accepted: %w\ngoal %v of\n%v", order, v, goal, n.sys)
	}
	return sch, nil
}

// order is the events that happen by position. The halves of a rendezvous go
// together, behind what else is at the send's position.
func (n *encoder) order() ([]eventID, error) {
	m, err := n.solver.Model()
	if err != nil {
		return nil, err
	}
	defer m.Close()
	at := make([]int64, len(n.pos))
	for e, p := range n.pos {
		if at[e], err = m.Int(p); err != nil {
			return nil, err
		}
	}
	type key struct {
		at   int64
		half int // 0: alone, 1: send, 2: receive
	}
	keyOf := func(e eventID) key {
		switch ev := &n.sys.Events[e]; {
		case !n.unbuffered(ev):
			return key{at[e], 0}
		case ev.Op == constraint.Send:
			return key{at[e], 1}
		default:
			return key{at[e] - 1, 2}
		}
	}
	var order []eventID
	for e := range n.end {
		if at[e] < at[n.end] {
			order = append(order, e)
		}
	}
	slices.SortStableFunc(order, func(a, b eventID) int {
		x, y := keyOf(a), keyOf(b)
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.half, y.half))
	})
	return order, nil
}
