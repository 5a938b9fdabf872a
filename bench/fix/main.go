// Command fix measures repairs: is there a verified one, does the first one offered touch
// what is wrong, and does the verifier reject what does not repair?
//
//	go run ./bench/fix [-set seen|unseen] [-only name,name] [-check] [-budget 60s]
//	go run ./bench/fix -dir FOLDER
//	go run ./bench/fix -wrong [-set seen|unseen] [-only name,name] [-cases FOLDER]
//	go run ./bench/fix -right [-set seen|unseen]
//
// The sets are below bench/fix/programs; a folder of cases (see docs/benchmarks.md), or
// bench/explain/programs/seen, can be given in their place. Each program is copied,
// searched, and its finding repaired. With -check each verified fix is applied to the
// copy, searched with 1,000 schedules, and run 20 times with -race.
//
// With -wrong the repairs below bench/fix/wrong, which do not repair, are handed to the
// verifier: it must reject them all. With -right it gets the programs' twins without the
// bug, which it should accept: a verifier that rejects all is of no use.
//
// Nobody who works on repairs looks at the set unseen.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine"
)

type options struct {
	set, folder, only, cases string
	wrong, right, check      bool
	find                     engine.FindOptions
	budget                   time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.set, "set", "seen", "seen or unseen: a set of bench/fix/programs, or of bench/fix/wrong")
	flag.StringVar(&o.folder, "dir", "", "a folder of cases, in place of a set")
	flag.StringVar(&o.only, "only", "", "names of the programs, or wrong repairs, to run, separated by commas")
	flag.StringVar(&o.cases, "cases", "", "a folder of cases, for the wrong repairs of them")
	flag.BoolVar(&o.wrong, "wrong", false, "hand wrong repairs to the verifier")
	flag.BoolVar(&o.right, "right", false, "hand the twins without the bug to the verifier")
	flag.BoolVar(&o.check, "check", false, "apply each verified fix, search it again, and run it with -race")
	flag.DurationVar(&o.budget, "budget", engine.DefaultFixBudget, "time for the fixes of a finding")
	flag.DurationVar(&o.find.Budget, "find-budget", 20*time.Second, "budget of one find")
	flag.Parse()
	if flag.NArg() > 0 || o.wrong && o.right {
		fmt.Fprintln(os.Stderr, "usage: fix [-set NAME | -dir FOLDER] [-wrong | -right] [flags]")
		os.Exit(2)
	}
	if o.folder == "" {
		o.folder = filepath.Join("bench", "fix", "programs", o.set)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "fix: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	if _, err := os.Stat(o.folder); err != nil {
		return fmt.Errorf("open the programs: %w; run it at the root of Hocket's module, or name a folder with -dir", err)
	}
	tmp, err := os.MkdirTemp("", "hocket-bench-fix-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	switch {
	case o.wrong:
		return tryWrong(ctx, w, o, tmp)
	case o.right:
		return tryRight(ctx, w, o, tmp)
	}
	all, err := programs.Copies(o.folder, o.only, tmp)
	if err != nil {
		return err
	}
	t := heading(w)
	var measured []result
	for _, c := range all {
		if c.Truth.Weak { // no search of Hocket can find it
			continue
		}
		r, err := measure(ctx, c, o)
		if ctx.Err() != nil {
			break // what was measured is worth showing
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		measured = append(measured, r)
		r.row(t)
	}
	for i := range measured {
		measured[i].details(w)
	}
	fmt.Fprintln(w, "\n"+summary(measured))
	return ctx.Err()
}
