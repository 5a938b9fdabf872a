// Command strategies compares the strategies of the search: how many runs
// (process starts) and how much time each takes until the first failure that
// replays:
//
//	go run ./bench/strategies [-cases FOLDER] [-tables cortex,flips,cases,kernels] [-seeds 3] [-budget 10s] [-json]
//
// There are four tables: the programs of Table 3 of Cortex (bench/papers),
// next to the paper's figures for Cortex, MCR and ICB-DPOR; programs below programs
// whose failure lies behind two branches or more that plain runs don't take; the cases below
// FOLDER (as bench/cases takes them); and kernels of the Go distribution
// (bench/kernels), a fixed list or all. Each search is made with several seeds;
// medians are shown. A data race does not count as a failure here and ends no
// search. For fixed twins the table shows the result of explore, or another
// strategy.
//
// Rows are printed as they are ready; an interrupt prints what is known. The
// command ends within -total, by default 25 minutes a seed: searches get less
// than -budget when there are too many.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	cases      string
	tables     []string
	only       []string // empty = all
	allKernels bool
	repeated   bool // kernels as often as the distribution starts them
	strategies []string
	seeds      int
	budget     time.Duration
	total      time.Duration
	schedules  int
	twin       string // strategy for the fixed twins
	json       bool
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "strategies: "+err.Error())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, os.Stderr, o); err != nil {
		fmt.Fprintln(os.Stderr, "strategies: "+err.Error())
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("strategies", flag.ExitOnError)
	f.StringVar(&o.cases, "cases", "", "a folder of cases")
	tables := f.String("tables", "cortex,flips,cases,kernels", "tables to print, separated by commas; cases need -cases")
	only := f.String("only", "", "names of the programs to run, separated by commas")
	f.BoolVar(&o.allKernels, "all-kernels", false, "all kernels of the Go distribution, not the fixed list")
	f.BoolVar(&o.repeated, "repeated", false, "start a kernel as often in one process as the distribution does, up to 10,000 times, not once")
	names := f.String("strategies", "explore,reads-from,pos,pct,random", "strategies to compare, separated by commas")
	f.IntVar(&o.seeds, "seeds", 3, "searches of a program with a strategy")
	f.DurationVar(&o.budget, "budget", 10*time.Second, "budget of one search")
	f.DurationVar(&o.total, "total", 0, "budget of the whole command, builds included; 0 = 25 minutes for each seed")
	f.IntVar(&o.schedules, "schedules", 2000, "schedules of one search")
	f.StringVar(&o.twin, "twin", "explore", "strategy that searches the fixed twins; \"\" leaves them out")
	f.BoolVar(&o.json, "json", false, "print JSON at the end instead of Markdown as it comes")
	f.Parse(args)
	if f.NArg() > 0 || o.seeds < 1 || o.budget <= 0 || o.schedules < 1 || o.total < 0 {
		return o, fmt.Errorf("usage: strategies [flags]; see -help")
	}
	if o.total == 0 {
		o.total = time.Duration(o.seeds) * 25 * time.Minute
	}
	o.strategies, o.tables, o.only = list(*names), list(*tables), list(*only)
	for _, t := range o.tables {
		if !slices.ContainsFunc(origins, func(k origin) bool { return k.name == t }) {
			return o, fmt.Errorf("there is no table %q", t)
		}
	}
	return o, nil
}

// list splits names at commas.
func list(names string) []string {
	return strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
}
