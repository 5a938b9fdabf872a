package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/target"
)

// Defaults of a find that gives no limits.
const (
	DefaultBudget    = 60 * time.Second
	DefaultSchedules = search.DefaultSchedules // per target
)

// FindOptions says what to search and how long.
type FindOptions struct {
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
	Width     int    // of branch flipping
	Runs      int    // recorded runs before the search
	Seed      uint64 // of the search; equal seeds try equal schedules
	// Overlay stands for files of the build, as go build -overlay has it:
	// absolute path -> file with its text, "" for a file that counts as
	// deleted. The texts are copied before anything is built.
	Overlay map[string]string
}

// A choice of the contract, and whether it works yet.
var (
	memories = map[string]bool{"sc": true, "tso": false, "pso": false}
	formats  = map[string]bool{"text": true, "markdown": true, "json": true, "dot": false, "svg": false, "html": false}
	levels   = map[string]bool{"controlled": true, "native": true, "pinned": true}
)

func (o *FindOptions) check() error {
	if err := choose("-strategy", &o.Strategy, search.Default, search.Names()); err != nil {
		return err
	}
	if err := choose("-memory", &o.Memory, "sc", memories); err != nil {
		return err
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

// HasDepth reports whether a strategy of FindOptions looks for bugs of a given depth.
func HasDepth(strategy string) bool { return search.HasDepth(strategy) }

// choose checks *value, sets the default, and tells unknown choices from those
// that are not built yet.
func choose(flag string, value *string, def string, known map[string]bool) error {
	if *value == "" {
		*value = def
	}
	works, ok := known[*value]
	if works {
		return nil
	}
	names := strings.Join(working(known), ", ")
	if ok {
		return fmt.Errorf("%s %s is not built yet; use one of %s", flag, *value, names)
	}
	return fmt.Errorf("%s %q is unknown; use one of %s", flag, *value, names)
}

func working(known map[string]bool) (names []string) {
	for _, n := range sortedKeys(known) {
		if known[n] {
			names = append(names, n)
		}
	}
	return names
}

// Strategies lists the names that Options.Strategy takes, sorted.
func Strategies() []string { return working(search.Names()) }

// HasStrategy says whether this build can search by a strategy.
func HasStrategy(name string) bool { return search.Names()[name] }
