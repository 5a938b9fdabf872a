package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/engine"
)

// row is what was measured of one program.
type row struct {
	Group string           `json:"group"`
	Name  string           `json:"name"`
	Cells map[string]*cell `json:"strategies"`
	Paper *paper           `json:"paper,omitempty"`
	Twin  *trial           `json:"twin,omitempty"`
	Error string           `json:"error,omitempty"` // the program could not be built or run
}

// cell is the searches of one program by one strategy.
type cell struct {
	NotBuilt bool    `json:"not_built,omitempty"` // this Hocket has no such strategy
	Trials   []trial `json:"trials,omitempty"`
}

// trial is one search.
type trial struct {
	Seed     uint64  `json:"seed"`
	Status   string  `json:"status"`
	Kind     string  `json:"kind,omitempty"` // of the failure
	Reason   string  `json:"reason,omitempty"`
	Attempts int     `json:"attempts"`
	Seconds  float64 `json:"seconds"`
	Budget   float64 `json:"budget_seconds"`
	NoModel  string  `json:"no_model,omitempty"` // why the strategy did not use a model of the program any more
	Always   bool    `json:"always,omitempty"`   // every run failed, so that no failure counts
}

// measure makes all searches of a program. When ctx ends, the row has those that
// had been made.
func measure(ctx context.Context, g *group, p program, o options, budget time.Duration) *row {
	r := &row{Group: g.name, Name: p.Name, Cells: map[string]*cell{}, Paper: p.Paper}
	for _, s := range o.strategies {
		r.Cells[s] = &cell{NotBuilt: !engine.HasStrategy(s)}
	}
	restore := g.enter()
	defer restore()
	err := withProgram(ctx, p.options(p.Dir), func(prog *harness.Program) error {
		for _, s := range o.strategies {
			c := r.Cells[s]
			for seed := 0; seed < o.seeds && !c.NotBuilt; seed++ {
				t, err := seek(ctx, prog, s, uint64(seed), budget, o.schedules)
				if err != nil {
					return fmt.Errorf("%s: %w", s, err)
				}
				c.Trials = append(c.Trials, *t)
			}
		}
		return nil
	})
	if err == nil && p.Fixed != "" && engine.HasStrategy(o.twin) {
		err = withProgram(ctx, p.options(p.Fixed), func(prog *harness.Program) (err error) {
			r.Twin, err = seek(ctx, prog, o.twin, 0, budget, o.schedules)
			return err
		})
	}
	if err != nil && ctx.Err() == nil {
		r.Error = err.Error()
	}
	return r
}

func withProgram(ctx context.Context, opt engine.FindOptions, do func(*harness.Program) error) error {
	prog, err := harness.OpenProgram(ctx, opt)
	if err != nil {
		return err
	}
	defer prog.Close()
	return do(prog)
}

func seek(ctx context.Context, prog *harness.Program, strategy string, seed uint64, budget time.Duration, schedules int) (*trial, error) {
	s, err := prog.Seek(ctx, harness.SeekOptions{Strategy: strategy, Seed: seed, Schedules: schedules, Budget: budget})
	if err != nil {
		return nil, err
	}
	return &trial{Seed: seed, Status: s.Status, Kind: s.Kind, Reason: s.Reason, Attempts: s.Attempts,
		Seconds: s.Took.Seconds(), Budget: budget.Seconds(), NoModel: s.NoModel, Always: s.Always}, nil
}

// every reports whether no search saw a run without the failure: then it is none
// of the schedule, and strategies can't differ.
func (r *row) every() bool {
	n := 0
	for _, c := range r.Cells {
		for _, t := range c.Trials {
			if !t.Always {
				return false
			}
			n++
		}
	}
	return n > 0
}
