package harness

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/from"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// StateOf identifies the state that a program's output tells of, and its kind: equal
// ones have the same goroutines of the user's at the same calls, and the same failure
// or accesses. It is "" if the output tells of none. Lines are those of the output.
func StateOf(text []byte) (state, kind string) {
	states, err := dump.Read(bytes.NewReader(text), "output")
	if err != nil {
		return "", ""
	}
	s := states[0]
	lines := []string{string(s.Kind), run.Normalize(s.Message)}
	if s.Kind == dump.TestFailure {
		lines = append(lines, s.Place.String())
	}
	var where []string
	for i := range s.Goroutines {
		if g := &s.Goroutines[i]; g.IsUser() && (g.Failing || !from.IsLoose(g.Reason)) {
			where = append(where, fmt.Sprint(g.Reason, g.Count, dump.User(g.Frames)))
		}
	}
	if s.Race != nil {
		for _, a := range s.Race.Accesses {
			if u := dump.User(a.Frames); len(u) > 0 {
				where = append(where, u[0].String())
			}
		}
	}
	if len(where) == 0 && s.Message == "" {
		return "", "" // nobody waits
	}
	slices.Sort(where)
	return strings.Join(append(lines, where...), "\n"), string(s.Kind)
}

// StateOptions say what to search for, and how.
type StateOptions struct {
	from.Options
	Others bool // search as find does, too
	// Failure: a run that fails in the same way counts, wherever the other goroutines are.
	Failure bool
	// Priorities are those by which schedules that a core's comparison with a passing
	// run proposes are tried before the led search, each in a search of its own.
	Priorities []string
}

// Sighting is how searches for a state ended.
type Sighting struct {
	Goroutines int // that are compared
	Led        Attempt
	// Find is a search as find makes it, which ends at the first failure of any kind;
	// Plain one that goes on to the state, but is not led.
	Find, Plain Attempt
	Proposed    map[string]Attempt // by priority
	Core        *from.Core         // of the last of them
}

// Attempt is one search.
type Attempt struct {
	Reached  bool
	Attempts int // up to and with the run that shows the state; all that were made if none does
}

// SeekState searches for a state, without confirmation.
func SeekState(ctx context.Context, o StateOptions) (*Sighting, error) {
	sought, err := from.Prepare(ctx, &o.Options)
	if err != nil {
		return nil, err
	}
	defer sought.Close()
	if len(sought.Targets) != 1 {
		return nil, fmt.Errorf("%d targets are chosen, not one", len(sought.Targets))
	}
	driver, err := build.New(sought.Env)
	if err != nil {
		return nil, err
	}
	defer driver.Close()
	runner, err := driver.Runner(ctx, sought.Targets[0], o.Flags, build.Control)
	if err != nil {
		return nil, err
	}
	s := &Sighting{Goroutines: sought.Goal.Compared()}
	var aim search.Aim = sought.Goal
	if o.Failure {
		aim = failureOf{sought.Goal}
	}
	s.Proposed = map[string]Attempt{}
	for _, priority := range o.Priorities {
		var first []run.Spec
		schedules, core := sought.Propose(ctx, sought.Targets[0], o.Flags, runner, priority)
		for _, sch := range schedules {
			first = append(first, run.Spec{Strategy: run.Replay, Schedule: sch})
		}
		s.Core = core
		if s.Proposed[priority], err = seekState(ctx, runner, aim, o, true, first...); err != nil {
			return s, err
		}
	}
	if s.Led, err = seekState(ctx, runner, aim, o, true); err != nil || !o.Others {
		return s, err
	}
	if s.Plain, err = seekState(ctx, runner, aim, o, false); err != nil {
		return s, err
	}
	s.Find, err = findState(ctx, runner, aim, o)
	return s, err
}

// failureOf is an aim of which the failure is enough.
type failureOf struct{ search.Aim }

func (a failureOf) Match(r *run.Result) search.Match {
	m := a.Aim.Match(r)
	if m.Level == search.SameFailure {
		m.Level = search.SameState
	}
	return m
}

// findState searches as find does, and looks whether one of its runs shows the state.
func findState(ctx context.Context, runner run.Runner, aim search.Aim, o StateOptions) (Attempt, error) {
	strategy, err := search.Make(o.Strategy, search.Config{Seed: o.Seed, Predict: true})
	if err != nil {
		return Attempt{}, err
	}
	l := &looking{Strategy: strategy, aim: aim}
	out := search.Run(ctx, runner, o.Budget, search.Options{Schedules: o.Schedules, Strategy: l, Seed: o.Seed, Base: run.Spec{Stands: true}}, nil)
	a := Attempt{Attempts: out.Schedules}
	if l.at > 0 && l.at <= out.Schedules {
		a.Reached, a.Attempts = true, l.at
	}
	return a, ctx.Err()
}

// looking is a strategy that notes which of its attempts showed a state first.
type looking struct {
	search.Strategy
	aim search.Aim
	n   int // attempts observed
	at  int // from 1; 0: none
}

func (l *looking) Observe(spec run.Spec, r *run.Result) {
	if l.n++; l.at == 0 && l.aim.Match(r).Level == search.SameState {
		l.at = l.n
	}
	l.Strategy.Observe(spec, r)
}

// proposedAtOnce is how many proposed schedules come first, as in a find.
const proposedAtOnce = 16

func seekState(ctx context.Context, runner run.Runner, aim search.Aim, o StateOptions, led bool, first ...run.Spec) (Attempt, error) {
	n := min(len(first), proposedAtOnce)
	c := search.Config{Seed: o.Seed, Predict: true, First: first[:n], Beside: first[n:]}
	if led {
		c.Aim = aim
	}
	strategy, err := search.Make(o.Strategy, c)
	if err != nil {
		return Attempt{}, err
	}
	out := search.Run(ctx, runner, o.Budget, search.Options{Schedules: o.Schedules, Strategy: strategy, Seed: o.Seed,
		RaceExtra: 1, Replays: n, Aim: aim, Base: run.Spec{Stands: true}}, nil)
	if err := ctx.Err(); err != nil {
		return Attempt{}, err
	}
	if out.Status == search.Error || out.Status == search.NotControllable {
		return Attempt{}, fmt.Errorf("%s: %s", out.Status, out.Reason)
	}
	a := Attempt{Attempts: out.Schedules}
	for _, f := range out.Findings {
		if f.Level == search.SameState || f.Signature.Kind == trace.Raced {
			a.Reached, a.Attempts = true, f.Attempt+1
			break
		}
	}
	return a, nil
}
