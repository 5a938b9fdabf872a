// Command record measures recorded runs: how many are followed to their end, what
// recording costs, and whether a failure that was seen once comes every time.
//
//	go run ./bench/record follow [-n 5] [-times 3] [-control] [-run RE] folder...
//	go run ./bench/record flaky [-n 5000] [-plain 5000] [-find 1000] [-budget 60s] [-run RE] folder...
//	go run ./bench/record cost [-rounds 7] [-run RE] [folder...]
//	go run ./bench/record papers [-rounds 7] [-run RE]
//
// follow and flaky take the tests and main packages of folders of modules, flaky only
// tests that fail at times, such as those below testdata/flaky. cost has programs of its own (testdata/cost) and runs
// them, and all tests of folders as one program each, by turns: plain, of the recording build recording nothing, recording, and with
// -race; processor time is user and system of the whole process. papers does so with the programs
// of the papers, and records orders and paths.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/hocket-dev/hocket/engine"
)

func main() {
	engine.RecordTool(os.Args[1:])
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record: "+err.Error())
		os.Exit(1)
	}
}

func measure(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("what to measure: follow, flaky, cost or papers")
	}
	f := flag.NewFlagSet(args[0], flag.ExitOnError)
	o := options{w: os.Stdout}
	f.IntVar(&o.runs, "n", map[string]int{"follow": 5, "flaky": 5000}[args[0]], "runs to record of each target")
	f.IntVar(&o.times, "times", 3, "how often each run is followed")
	f.IntVar(&o.rounds, "rounds", 7, "rounds of each program")
	f.IntVar(&o.plain, "plain", 0, "flaky: plain runs before")
	f.IntVar(&o.schedules, "find", 0, "flaky: schedules that a plain find tries before")
	f.DurationVar(&o.budget, "budget", 0, "of hocket find -from (0: its own)")
	f.BoolVar(&o.control, "control", false, "follow: direct controlled runs along each, too")
	f.StringVar(&o.run, "run", "", "only tests, and programs of cost, that match")
	f.BoolVar(&o.short, "short", false, "tests run with -short")
	f.Parse(args[1:])
	switch args[0] {
	case "follow":
		return o.eachFolder(ctx, f.Args(), o.follow)
	case "flaky":
		return o.eachFolder(ctx, f.Args(), o.flaky)
	case "cost":
		return o.cost(ctx, f.Args())
	case "papers":
		return o.papers(ctx)
	}
	return fmt.Errorf("%s is none of follow, flaky, cost and papers", args[0])
}
