// Command explain measures explanations: are the lines named that matter, and is
// said what a Go developer wants to know?
//
//	go run ./bench/explain [-set seen|unseen] [-only name,name] [-budget 20s]
//	go run ./bench/explain -dir FOLDER
//
// The sets are below bench/explain/programs; a folder of cases (see docs/benchmarks.md)
// can be given in their place. Each program has one bug. It is copied and searched; of
// the findings, the one that names most of the true lines counts. Nobody who mends
// explanations looks at the programs of the set unseen: they say how good explanations
// of other people's programs are.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine"
)

type options struct {
	folder, only string
	find         engine.FindOptions
}

func main() {
	var o options
	set := flag.String("set", "seen", "seen or unseen: a set of bench/explain/programs")
	flag.StringVar(&o.folder, "dir", "", "a folder of cases, in place of a set")
	flag.StringVar(&o.only, "only", "", "names of the programs to run, separated by commas")
	flag.DurationVar(&o.find.Budget, "budget", 20*time.Second, "budget of one find")
	flag.StringVar(&o.find.Strategy, "strategy", "", "strategy of the search; empty: the one that hocket find takes")
	flag.Uint64Var(&o.find.Seed, "seed", 0, "seed of the searches")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: explain [-set NAME | -dir FOLDER] [flags]")
		os.Exit(2)
	}
	if o.folder == "" {
		o.folder = filepath.Join("bench", "explain", "programs", *set)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "explain: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	if _, err := os.Stat(o.folder); err != nil {
		return fmt.Errorf("open the programs: %w; run it at the root of Hocket's module, or name a folder with -dir", err)
	}
	tmp, err := os.MkdirTemp("", "hocket-explain-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	all, err := programs.Copies(o.folder, o.only, tmp)
	if err != nil {
		return err
	}
	if err := warm(ctx, all, o.find); err != nil {
		return err
	}
	t := heading(w)
	var measured []result
	for _, c := range all {
		if c.Truth.Weak { // no search of Hocket can find it
			continue
		}
		r, err := measure(ctx, c, o.find)
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

// warm builds the standard library: the first build takes longer than a budget. It
// searches a fixed twin, so that nothing is known of a program beforehand.
func warm(ctx context.Context, all []programs.Case, o engine.FindOptions) error {
	if len(all) == 0 {
		return errors.New("no program is selected")
	}
	twin := slices.IndexFunc(all, func(c programs.Case) bool { return c.Fixed != "" })
	if twin < 0 {
		return nil
	}
	o.Budget, o.Schedules = 5*time.Minute, 1
	o.Dir, o.Patterns = all[twin].Fixed, []string{"./..."}
	_, err := engine.Find(ctx, o, nil)
	return err
}

func measure(ctx context.Context, c programs.Case, o engine.FindOptions) (result, error) {
	o.Dir, o.Patterns = c.Dir, []string{"./..."}
	rep, err := engine.Find(ctx, o, nil)
	if err != nil {
		return result{}, err
	}
	return judge(c, rep.Findings), nil
}
