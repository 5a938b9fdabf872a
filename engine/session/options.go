package session

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/choice"
)

// Defaults of a find that gives no limits.
const (
	DefaultBudget    = 60 * time.Second
	DefaultSchedules = search.DefaultSchedules // per target
	DefaultDelay     = search.DefaultDelay
)

// Options says what to search and how long.
type Options struct {
	Dir      string // "" is the current folder
	Patterns []string
	Run      string // as go test -run
	Args     []string
	Flags    target.Flags
	Budget   time.Duration // for the whole call; 0 = DefaultBudget
	// FreeBuild: the first build of a Go version's standard library, which takes
	// a minute or more, is not taken from the budget.
	FreeBuild bool
	Schedules int    // per target; 0 = DefaultSchedules
	Strategy  string // "" = auto
	Memory    string // "" = sc
	Depth     int    // of PCT; 0 = drawn for each run
	// Delay is by how much goroutines that can run may be delayed in a run, while the
	// clock passes to timers; 0 = DefaultDelay, negative: not at all.
	Delay time.Duration
	// TimeDependent is what becomes of failures that need such a delay: "show", the
	// default, or "hide".
	TimeDependent string
	Width         int // of branch flipping
	Runs          int // recorded runs before the search
	// Seed of the search: equal seeds try equal schedules. With 0, a search of a
	// program that was searched before goes on where that stopped, with seeds of its
	// own, and a proof is not repeated, unless Fresh.
	Seed  uint64
	Fresh bool
	// Overlay stands for files of the build, as go build -overlay has it:
	// absolute path -> file with its text, "" for a file that counts as
	// deleted. The texts are copied before anything is built.
	Overlay map[string]string
	// Aim is a state to be reached, and Reached words how much of it a failing run shows:
	// as in hunt.Job. The search says nothing of other failures, so that none goes on
	// where it stopped.
	Aim     search.Aim
	Reached func(r *run.Result) *report.Reached
	// First, if it is set, returns schedules that the search of a target begins with, and
	// if they are many goes on with, the most promising first.
	First func(ctx context.Context, t target.Target, r run.Runner) []trace.Schedule
	// Recordings, if it is set, makes controlled runs along recorded ones of a target, for
	// strategies that start from passing runs; said are lines about them.
	Recordings func(ctx context.Context, env *target.Env, t target.Target, r run.Runner) (runs []*run.Result, said []string)
	// Recorded is a recorded run that was followed: findings that are its failure say so.
	Recorded *report.Recording
	// Fix: what is left of the budget is used to look for fixes of what was found.
	Fix bool
}

// memories are the documented memory models, and whether they are implemented.
var memories = map[string]bool{"sc": true, string(trace.TSO): true, string(trace.PSO): true}

// memory is the model of the options.
func (o *Options) memory() trace.Memory {
	if o.Memory == "sc" {
		return trace.SC
	}
	return trace.Memory(o.Memory)
}

const (
	timeDependentShow = "show"
	timeDependentHide = "hide"
)

// timeDependent are the values of Options.TimeDependent.
var timeDependent = map[string]bool{timeDependentShow: true, timeDependentHide: true}

func (o *Options) check() error {
	if err := choice.Check("-strategy", &o.Strategy, search.Default, search.Names()); err != nil {
		return err
	}
	if err := choice.Check("-time-dependent", &o.TimeDependent, timeDependentShow, timeDependent); err != nil {
		return err
	}
	if err := choice.Check("-memory", &o.Memory, "sc", memories); err != nil {
		return err
	}
	if o.memory() != trace.SC {
		switch {
		case !search.Weak(o.Strategy):
			return fmt.Errorf("-strategy %s needs -memory sc: it computes schedules, and knows no other memory model; use auto, mix, pos, pct or random", o.Strategy)
		case runtime.GOARCH != "amd64":
			return fmt.Errorf("-memory %s needs amd64: on %s it is not known how large a store is", o.Memory, runtime.GOARCH)
		case o.Aim != nil:
			return fmt.Errorf("-memory %s is not for searches for a state", o.Memory)
		}
	}
	if o.Budget < 0 {
		return fmt.Errorf("-budget %v: must not be negative", o.Budget)
	}
	for _, n := range []struct {
		flag  string
		value int
	}{{"-schedules", o.Schedules}, {"-depth", o.Depth}, {"-width", o.Width}, {"-n", o.Runs}} {
		if n.value < 0 {
			return fmt.Errorf("%s %d: must not be negative; 0 is the default", n.flag, n.value)
		}
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Schedules == 0 {
		o.Schedules = DefaultSchedules
	}
	return nil
}

// HasDepth reports whether a strategy of Options looks for bugs of a given depth.
func HasDepth(strategy string) bool { return search.HasDepth(strategy) }

// Strategies lists the names that Options.Strategy takes, sorted.
func Strategies() []string { return choice.Working(search.Names()) }

// HasStrategy reports whether this build has a strategy.
func HasStrategy(name string) bool { return search.Names()[name] }

// Query is what to look for, with the texts that are not saved. module is the
// root as the go command names it.
func (o *Options) Query(module string) (target.Query, error) {
	unsaved, err := build.Unsaved(o.Overlay, module)
	return target.Query{Patterns: o.Patterns, Run: o.Run, Flags: o.Flags, Args: o.Args, Overlay: unsaved}, err
}
