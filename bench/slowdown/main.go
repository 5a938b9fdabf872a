// Command slowdown measures what a run of each test of modules costs under control,
// compared with a run of the ordinary build.
//
//	go run ./bench/slowdown [-limit 30s] [-v] FOLDER...
//
// The folders hold modules, such as those that bench/suites keeps. A test runs
// plainly and under control in turns, twice each, and the shorter times count; on a
// loaded machine compare only figures of one run of this command.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/engine"
)

func main() {
	limit := flag.Duration("limit", 30*time.Second, "longest time of a run")
	verbose := flag.Bool("v", false, "print a line for each test")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: slowdown [-limit 30s] [-v] FOLDER...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("%-16s %6s %8s %8s %8s %9s %9s  %s\n", "module", "tests", "median", "90 %", "most", "over 3x", "limit", "not measured")
	var all tally
	for _, dir := range flag.Args() {
		t := tally{verbose: *verbose}
		if err := harness.Slowdowns(ctx, engine.FindOptions{Dir: dir, Patterns: []string{"./..."}}, *limit, t.add); err != nil {
			fmt.Fprintf(os.Stderr, "slowdown: %s: %v\n", dir, err)
			os.Exit(1)
		}
		t.print(filepath.Base(dir))
		all.merge(t)
	}
	if flag.NArg() > 1 {
		all.print("all")
	}
}

// tally collects the slow-downs of tests.
type tally struct {
	verbose        bool
	times          []float64
	limit, without int
}

func (t *tally) add(s harness.Slowdown) {
	switch {
	case s.Err != "":
		t.without++
	case s.Limit:
		t.limit++
	default:
		t.times = append(t.times, s.Times())
	}
	if t.verbose {
		fmt.Printf("    %-40s plain %8.1f ms, controlled %8.1f ms, %6.1f times %s\n", s.Entry, ms(s.Plain), ms(s.Controlled), s.Times(), s.Err)
	}
}

func (t *tally) merge(o tally) {
	t.times = append(t.times, o.times...)
	t.limit += o.limit
	t.without += o.without
}

func (t *tally) print(name string) {
	if len(t.times) == 0 {
		fmt.Printf("%-16s %6d %8s %8s %8s %9s %9d  %d\n", name, 0, "-", "-", "-", "-", t.limit, t.without)
		return
	}
	slices.Sort(t.times)
	over := len(t.times)
	for i, x := range t.times {
		if x > 3 {
			over = i
			break
		}
	}
	fmt.Printf("%-16s %6d %8.1f %8.1f %8.1f %9d %9d  %d\n", name, len(t.times), at(t.times, 0.5), at(t.times, 0.9), t.times[len(t.times)-1],
		len(t.times)-over, t.limit, t.without)
}

// at is the value below which the share of the sorted values lies.
func at(sorted []float64, share float64) float64 { return sorted[int(share*float64(len(sorted)-1))] }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
