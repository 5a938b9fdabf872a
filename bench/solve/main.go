// Command solve measures how long the schedule solvers take, and how much
// memory, on systems of growing size, next to the budgets of the design.
//
//	go run ./bench/solve -svg docs/images/solving.svg
//	go run ./bench/solve -module github.com/sourcegraph/conc@v0.3.0 -package ./pool -test TestPool
//	go run ./bench/solve -trace run.trace
//
// Each solver is asked for all goals of each system, for which it is known
// whether a schedule reaches them, once with the recorded order of every lock,
// channel and WaitGroup given ("order") and once without it ("paths"). Each
// solver gets each system in a process of its own, in turn, so that memory is
// that of one solver and a solver that crashes is a row of the table. A time is
// that of one goal: the session, its clauses and the check. The answer of every
// check is compared with the known one, and every schedule is simulated.
//
// Times are processor times, including garbage collection, so that other work
// on the machine matters little; only how long a cancelled check goes on is
// measured with a clock.
//
// With -module a test of a published module is run once under control, and the
// goals are the next steps that this run has not shown, as in exploration;
// -trace reads such a run from a file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/solve/gen"
)

// options of a measurement.
type options struct {
	sizes   []int
	solvers []string
	seeds   int
	kinds   []gen.Kind
	timeout time.Duration
	z3      time.Duration // the same for z3
	memory  int64         // MB that a process may have in Go's heap before it stops
	large   int           // events of the system that is too large; 0: none
}

func main() {
	sizes := flag.String("sizes", "300,1000,3000,10000,100000", "events of the systems")
	only := flag.String("solvers", "native,repairsearch,z3", "solvers to measure, separated by commas")
	seeds := flag.Int("seeds", 1, "systems of each shape and size")
	kinds := flag.String("kinds", "locks,pipeline", "programs to make systems from: locks, pipeline")
	z3 := flag.Duration("z3-timeout", time.Second, "the same for z3, which would otherwise take most of the time")
	timeout := flag.Duration("timeout", 3*time.Second, "processor time that one goal may take at most")
	memory := flag.Int64("memory", 4096, "MB of Go heap that one solver may have")
	large := flag.Int("large", 1_000_000, "events of a system that should be refused; 0: none")
	svg := flag.String("svg", "", "write a plot of time against events to this file")
	recorded := flag.String("trace", "", "measure the goals of this recorded trace instead")
	module := flag.String("module", "", "measure the goals of a run of this module's test instead: PATH@VERSION")
	pattern := flag.String("package", ".", "package of the test, in the module")
	test := flag.String("test", "", "name of the test")
	child := flag.String("child", "", "") // one system and one solver: what the command starts
	flag.Usage = usage
	flag.Parse()
	if *child != "" {
		os.Exit(runChild(*child))
	}
	o := options{solvers: strings.Split(*only, ","), seeds: *seeds, timeout: *timeout, z3: *z3, memory: *memory, large: *large}
	for _, k := range strings.Split(*kinds, ",") {
		if !slices.Contains(gen.Kinds(), gen.Kind(k)) {
			usage()
			os.Exit(2)
		}
		o.kinds = append(o.kinds, gen.Kind(k))
	}
	for _, s := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 300 || flag.NArg() > 0 {
			usage()
			os.Exit(2)
		}
		o.sizes = append(o.sizes, n)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := start(ctx, o, *recorded, *svg, *module, *pattern, *test); err != nil {
		fmt.Fprintln(os.Stderr, "solve: "+err.Error())
		os.Exit(1)
	}
}

// start measures, with -module a run that it records first.
func start(ctx context.Context, o options, recorded, svg, module, pattern, test string) error {
	if module != "" {
		dir, err := os.MkdirTemp("", "solve")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		file, events, err := record(ctx, module, pattern, test, dir)
		if err != nil {
			return err
		}
		fmt.Printf("%s of %s %s: a run of %d events\n\n", test, module, pattern, events)
		recorded = file
	}
	return measure(ctx, o, recorded, svg)
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: solve [-sizes 300,1000] [-solvers native,z3] [-kinds locks] [-seeds 1] [-timeout 3s] [-z3-timeout 1s] [-memory 4096] [-large 1000000] [-svg FILE] [-trace FILE | -module PATH@VERSION -package ./DIR -test NAME]")
	flag.VisitAll(func(f *flag.Flag) {
		if f.Usage != "" {
			fmt.Fprintf(os.Stderr, "  -%s: %s (%s)\n", f.Name, f.Usage, f.DefValue)
		}
	})
}

func measure(ctx context.Context, o options, recorded, svg string) error {
	fmt.Println(header)
	var all []measured
	if recorded != "" {
		for _, ordered := range []bool{true, false} {
			all = append(all, measureOne(ctx, o, job{Trace: recorded, Ordered: ordered})...)
		}
	} else {
		all = measureSizes(ctx, o)
	}
	if recorded == "" && o.large > 0 && ctx.Err() == nil {
		measureLarge(ctx, o)
	}
	fmt.Println()
	summary(os.Stdout, all)
	if svg != "" {
		if err := os.WriteFile(svg, plot(all), 0o644); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// measureSizes goes through shapes and sizes. A solver that decided nothing of
// a shape at one size is not asked at the next.
func measureSizes(ctx context.Context, o options) []measured {
	var all []measured
	beyond := map[string]bool{}
	for _, n := range o.sizes {
		for seed := range uint64(o.seeds) {
			for _, shape := range shapes(n, seed) {
				if !slices.Contains(o.kinds, shape.Kind) {
					continue
				}
				for _, ordered := range []bool{true, false} {
					ask := o
					ask.solvers = nil
					key := func(solver string) string {
						return fmt.Sprint(solver, shape.Kind, shape.Histories, shape.Cap, ordered)
					}
					for _, s := range o.solvers {
						if !beyond[key(s)] {
							ask.solvers = append(ask.solvers, s)
						}
					}
					for _, m := range measureOne(ctx, ask, job{Shape: shape, Ordered: ordered}) {
						all = append(all, m)
						if m.decided() == 0 {
							beyond[key(m.Solver)] = true
						}
					}
				}
			}
		}
	}
	return all
}

func shapes(n int, seed uint64) []gen.Shape {
	return []gen.Shape{
		{Kind: gen.Locks, Events: n, Seed: seed},
		{Kind: gen.Locks, Events: n, Seed: seed, Histories: true},
		{Kind: gen.Pipeline, Events: n, Seed: seed, Cap: 4},
		{Kind: gen.Pipeline, Events: n, Seed: seed, Histories: true},
	}
}

// measureOne asks each solver, in turn.
func measureOne(ctx context.Context, o options, j job) []measured {
	var all []measured
	for _, name := range o.solvers {
		if ctx.Err() != nil {
			return all
		}
		j.Solver, j.Timeout, j.Memory = name, o.timeout, o.memory
		if name == "z3" {
			j.Timeout = o.z3
		}
		m := startChild(ctx, j)
		if ctx.Err() != nil {
			return all // cut short: no figure
		}
		fmt.Println(m.row())
		all = append(all, m)
	}
	return all
}

// measureLarge shows what is said of a system that is too large.
func measureLarge(ctx context.Context, o options) {
	j := job{Shape: gen.Shape{Kind: gen.Locks, Events: o.large}, Ordered: true}
	for _, m := range measureOne(ctx, o, j) {
		if m.Error != "" {
			fmt.Fprintln(os.Stderr, m.Error)
		}
	}
}
