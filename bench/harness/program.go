// Package harness is what benchmarks do with the engine that users don't: single
// controlled runs, searches without confirmation, the order of a finding played on
// a copy of its module.
package harness

import (
	"context"
	"errors"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// Program is one controlled program, for measurements of single runs: no
// search, no judgement. Close it.
type Program struct {
	runner run.Runner
	driver *build.Driver
	env    *target.Env
	target target.Target
	flags  target.Flags
}

// Ran is one run of a Program.
type Ran struct {
	Hash     uint64 // of its synchronisation events
	Steps    int
	Kind     string // of the end: "passed", "panic", ...
	Message  string
	External int // events that no schedule decides, such as system calls that took long
	Hang     bool
	Races    []Race
	schedule trace.Schedule
}

// Race is a data race of a run: the innermost places outside the standard
// library, in the order in which they happened.
type Race struct {
	First, Second           report.Place
	FirstWrite, SecondWrite bool
}

// OpenProgram builds the one target that the options select.
func OpenProgram(ctx context.Context, opt session.Options) (*Program, error) {
	env, err := target.LoadEnv(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	q, err := opt.Query(env.Module)
	if err != nil {
		return nil, err
	}
	targets, _, err := target.Discover(ctx, env, q)
	if err != nil {
		return nil, err
	}
	if len(targets) != 1 {
		return nil, errors.New("more than one target is selected; name one with Run")
	}
	driver, err := build.New(env)
	if err != nil {
		return nil, err
	}
	runner, err := driver.Runner(ctx, targets[0], opt.Flags, build.Control)
	if err != nil {
		driver.Close()
		return nil, err
	}
	return &Program{runner: runner, driver: driver, env: env, target: targets[0], flags: opt.Flags}, nil
}

// Close removes what the program's runs left.
func (p *Program) Close() { p.driver.Close() }

// Run runs the program once under the random schedule of the seed, in a
// process of its own.
func (p *Program) Run(ctx context.Context, seed uint64) (*Ran, error) {
	return p.run(ctx, run.Spec{Strategy: run.POS, Seed: seed})
}

// Again runs the very schedule of an earlier run.
func (p *Program) Again(ctx context.Context, r *Ran) (*Ran, error) {
	return p.run(ctx, run.Spec{Strategy: run.Replay, Schedule: r.schedule})
}

// Record is Run with all that a trace can hold: what exploration makes its
// systems from.
func (p *Program) Record(ctx context.Context, seed uint64) (*trace.Trace, error) {
	r, err := p.runner.Run(ctx, run.Spec{Strategy: run.POS, Seed: seed, Record: run.Full, Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	if r.Trace == nil {
		return nil, errors.New("the run left no trace")
	}
	return r.Trace, nil
}

func (p *Program) run(ctx context.Context, spec run.Spec) (*Ran, error) {
	spec.Timeout = time.Minute // machines that measure are busy
	r, err := p.runner.Run(ctx, spec)
	if err != nil {
		return nil, err
	}
	ran := &Ran{Hash: r.Hash, Steps: r.Steps, Kind: string(r.Outcome.Kind), Message: words.OneLine(r.Outcome.Message),
		External: r.External, Hang: r.Hang, schedule: r.Schedule}
	for _, x := range r.Races {
		ran.Races = append(ran.Races, Race{p.place(x.First), p.place(x.Second), x.FirstWrite, x.SecondWrite})
	}
	return ran, nil
}

func (p *Program) place(f trace.Frame) report.Place {
	return report.Place{File: p.env.Roots().Name(f.File), Line: f.Line, Func: f.Func}
}
