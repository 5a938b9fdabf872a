package main

import (
	"fmt"
	"os"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/native"
	"github.com/hocket-dev/hocket/engine/solve/repairsearch"
	"github.com/hocket-dev/hocket/engine/solve/z3"
	"github.com/hocket-dev/hocket/engine/trace"
)

// solverNamed makes a solver, with the limit that keeps it from asking for more
// memory than there is.
func solverNamed(name string) (solve.Solver, error) {
	switch name {
	case "native":
		return solve.Limit(native.New(), solve.MaxEvents), nil
	case "repairsearch":
		return solve.Limit(repairsearch.New(repairsearch.Limits{}), solve.MaxEvents), nil
	case "z3":
		s, err := z3.New(z3.Options{})
		if err != nil {
			return nil, err
		}
		return solve.Limit(s, solve.MaxEvents), nil
	}
	return nil, fmt.Errorf("there is no solver %q", name)
}

// system of the job, with its goals.
func (j job) system() (*constraint.System, []goal, error) {
	if j.Trace != "" {
		return recordedSystem(j.Trace)
	}
	in := gen.Make(j.Shape)
	order := in.System.SyncOrder()
	var goals []goal
	for _, g := range in.Goals {
		known, reachable := true, g.Reachable()
		if reachable && j.Ordered {
			// The known schedule may need another order than the recorded one; then
			// whether there is one without is for the solvers to say.
			known = solve.Place(in.System, g.Witness()).First(order) == nil
		}
		goals = append(goals, goal{g.Goal, known, reachable})
	}
	return in.System, goals, nil
}

// mostFrontiers of a recorded run are asked.
const mostFrontiers = 40

// recordedSystem makes a system of one recorded run; the goals are what might
// happen next that it has not shown.
func recordedSystem(file string) (*constraint.System, []goal, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	t, err := trace.Read(f)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file, err)
	}
	trees := forest.New()
	if _, err := trees.Add(t); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file, err)
	}
	sys, frontiers := trees.System()
	var goals []goal
	step := max(1, len(frontiers)/mostFrontiers)
	for i := 0; i < len(frontiers); i += step {
		g := frontiers[i].Goal
		g.Name = frontiers[i].Name
		goals = append(goals, goal{Goal: g})
	}
	return sys, goals, nil
}
