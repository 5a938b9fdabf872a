package solve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Portfolio asks all solvers at once and takes the first answer that is not
// Unknown; the others are cancelled and waited for, so a check leaves no
// goroutine behind. Which of several schedules or cores comes back depends on
// who is first; the status does not.
//
// A solver that refuses a system is left out; if all do, New fails. No product code
// uses it yet.
func Portfolio(solvers ...Solver) Solver { return portfolio(solvers) }

type portfolio []Solver

func (p portfolio) Name() string {
	var names []string
	for _, s := range p {
		names = append(names, s.Name())
	}
	return strings.Join(names, "|")
}

func (p portfolio) New(sys *constraint.System) (Session, error) {
	var s race
	var errs []error
	for _, solver := range p {
		one, err := solver.New(sys)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s = append(s, runner{solver.Name(), one})
	}
	if len(s) == 0 {
		return nil, errors.Join(errs...)
	}
	return s, nil
}

// race is a session of each.
type race []runner

type runner struct {
	name string
	Session
}

func (s race) Push() {
	for _, r := range s {
		r.Push()
	}
}

func (s race) Pop() {
	for _, r := range s {
		r.Pop()
	}
}

func (s race) Add(clauses ...constraint.Clause) {
	for _, r := range s {
		r.Add(clauses...)
	}
}

func (s race) Close() error {
	var errs []error
	for _, r := range s {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// answer of one of the runners.
type answer struct {
	name   string
	result Result
	err    error
}

func (s race) Check(b *budget.Budget, goal constraint.Goal, assume ...Assumption) (Result, error) {
	start := time.Now()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	answers := make(chan answer)
	for _, r := range s {
		go func() {
			res, err := r.Check(b.With(ctx), goal, assume...)
			answers <- answer{r.name, res, err}
		}()
	}
	var first *answer
	var lost []answer
	for range s {
		a := <-answers
		if first == nil && a.err == nil && a.result.Status != Unknown {
			first = &a
			cancel()
		} else {
			lost = append(lost, a)
		}
	}
	if first == nil {
		return undecided(lost)
	}
	if err := contradicts(*first, lost); err != nil {
		return Result{}, err
	}
	first.result.Stats.Time = time.Since(start)
	if first.result.Solver == "" {
		first.result.Solver = first.name
	}
	return first.result, nil
}

// undecided joins answers of which none decides: why, by all that have a
// reason; the errors, if there is nothing else.
func undecided(all []answer) (Result, error) {
	slices.SortFunc(all, func(a, b answer) int { return strings.Compare(a.name, b.name) })
	var errs []error
	var reasons, names []string
	for _, a := range all {
		if a.err != nil {
			errs = append(errs, a.err)
			continue
		}
		names = append(names, a.name)
		reasons = append(reasons, a.name+": "+a.result.Reason)
	}
	if len(names) == 0 {
		return Result{}, errors.Join(errs...)
	}
	return Result{Reason: strings.Join(reasons, "; "), Solver: strings.Join(names, "|")}, nil
}

// contradicts: two that finished at the same time and do not agree are a bug
// of one of them, which must not be hidden by who was first.
func contradicts(first answer, lost []answer) error {
	for _, a := range lost {
		if a.err == nil && a.result.Status != Unknown && a.result.Status != first.result.Status {
			return &Wrong{Solver: first.name + " or " + a.name,
				Reason: first.result.Status.String() + " against " + a.result.Status.String()}
		}
	}
	return nil
}
