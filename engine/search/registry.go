package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve/solvers"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/choice"
)

// Names of strategies that are asked for by name elsewhere.
const (
	Default   = "auto"
	Exploring = "explore" // the one that ends with a proof, or should
	Guided    = "cortex"  // the one that rehearses in a run.Twin
)

// DefaultSchedules is how many attempts are planned for a target by default.
const DefaultSchedules = 3000

// Config is what a strategy is made with.
type Config struct {
	Seed  uint64 // equal seeds try equal schedules
	Depth int    // of bugs, for strategies with HasDepth; 0: drawn for each attempt
	// Predict: a strategy that asks no solver itself is preceded by what the first
	// runs let predict.
	Predict bool
	First   []run.Spec // attempts to make before all others
	Beside  []run.Spec // attempts to make in turn with those of the strategy
	Aim     Aim        // a state to lead runs to, beside the strategy; nil: none
	Memory  trace.Memory
	// Twin reads the program's sources, for Guided and Default; nil: there are none.
	Twin func(context.Context) (run.Twin, error)
	// Passing makes runs to start from beside one of the strategy's own, all recorded
	// (Every); those of them that fail are attempts to make. nil: there are none.
	Passing func(context.Context) []*run.Result
}

// kind is a strategy that people can ask for by name.
type kind struct {
	names    []string              // the others are short for the first
	depth    bool                  // Config.Depth means something
	predicts bool                  // it asks a solver itself
	weak     bool                  // it knows nothing of sequential consistency
	make     func(Config) Strategy // nil: not in this version
}

func kinds() []kind {
	return []kind{
		{names: []string{Default}, predicts: true, weak: true, make: func(c Config) Strategy {
			if c.Memory != trace.SC {
				return NewMix(c.Seed)
			}
			if c.Twin == nil {
				return NewAuto(c.Seed)
			}
			return NewRehearsing(c, NewAuto(c.Seed))
		}},
		{names: []string{Exploring}, predicts: true, make: func(Config) Strategy { return NewExplore(solvers.Default()) }},
		{names: []string{"mix"}, weak: true, make: func(c Config) Strategy { return NewMix(c.Seed) }},
		{names: []string{"pos"}, weak: true, make: func(c Config) Strategy { return NewPOS(c.Seed) }},
		{names: []string{"random"}, weak: true, make: func(c Config) Strategy { return NewRandom(c.Seed) }},
		{names: []string{"pct"}, weak: true, depth: true, make: func(c Config) Strategy { return NewPCT(c.Seed, c.Depth) }},
		{names: []string{"reads-from", "rf"}, make: func(c Config) Strategy { return NewReadsFrom(c.Seed) }},
		{names: []string{"chess"}},
		{names: []string{Guided}, predicts: true, make: func(c Config) Strategy { return NewCortex(c, NewAuto(c.Seed)) }},
		{names: []string{"symbiosis"}},
	}
}

func kindOf(name string) (kind, bool) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return slices.Contains(k.names, name) })
	if i < 0 {
		return kind{}, false
	}
	return all[i], true
}

// Names are the names of all strategies; true if this version has the strategy.
func Names() map[string]bool {
	names := map[string]bool{}
	for _, k := range kinds() {
		for _, n := range k.names {
			names[n] = k.make != nil
		}
	}
	return names
}

// HasDepth reports whether a strategy looks for bugs of a given depth.
func HasDepth(name string) bool {
	k, _ := kindOf(name)
	return k.depth
}

// Make makes a strategy by its name; "" is Default.
func Make(name string, c Config) (Strategy, error) {
	if name == "" {
		name = Default
	}
	k, ok := kindOf(name)
	if !ok || k.make == nil {
		return nil, fmt.Errorf("unknown search strategy %q; use one of %s", name, strings.Join(choice.Working(Names()), ", "))
	}
	s := k.make(c)
	if c.Aim != nil && name == Default {
		s = NewAimedAuto(c.Aim, c.Seed)
		c.Aim = nil
	}
	if c.Predict && !k.predicts && c.Memory == trace.SC {
		s = NewPredict(s)
	}
	if c.Aim != nil {
		s = NewAimed(c.Aim, c.Seed, s)
	}
	if len(c.Beside) > 0 {
		s = NewBeside(s, c.Beside...)
	}
	if len(c.First) > 0 {
		s = NewFirst(s, c.First...)
	}
	return s, nil
}
