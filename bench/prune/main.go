// Command prune measures how much of a failing schedule an explanation leaves out, and
// what it costs, beside Tables II and III of Symbiosis and Table 4 of Cortex.
//
//	go run ./bench/prune [-only name,name] [-budget 30s] [-seed 0]
//
// The programs are those of bench/papers: the mechanisms of the papers' programs,
// written in Go, not the programs themselves. Names are those of bench/papers
// ("cache4j-s").
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
	"time"

	"github.com/hocket-dev/hocket/bench/papers"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

func main() {
	var o engine.FindOptions
	only := flag.String("only", "", "names of the programs to run, separated by commas")
	flag.DurationVar(&o.Budget, "budget", 30*time.Second, "budget of one find")
	flag.Uint64Var(&o.Seed, "seed", 0, "seed of the searches")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: prune [flags]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Stderr, *only, o); err != nil {
		fmt.Fprintln(os.Stderr, "prune: "+err.Error())
		os.Exit(1)
	}
}

// run searches each program once, then prints the tables of both papers: several
// programs are in both.
func run(ctx context.Context, w, progress io.Writer, only string, o engine.FindOptions) error {
	tmp, err := os.MkdirTemp("", "hocket-prune-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	all, err := papers.Programs(filepath.Join(tmp, "programs"), only)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("no program is selected")
	}
	if err := warm(ctx, all[0], o); err != nil {
		return err
	}
	found := map[string]*report.Finding{}
	for _, p := range all {
		start := time.Now()
		f, err := measure(ctx, p, o)
		if ctx.Err() != nil {
			break // what was measured is worth showing
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		found[p.Name] = f
		what := "not found"
		if f != nil {
			what = f.Kind + ": " + f.Sentence
		}
		fmt.Fprintf(progress, "%s, %.0f s: %s\n", p.Name, time.Since(start).Seconds(), what)
	}
	printSymbiosis(w, found)
	printCortex(w, found)
	return ctx.Err()
}

// warm builds the standard library, which takes longer than a budget: it searches a
// fixed twin, so that nothing is known of a program beforehand.
func warm(ctx context.Context, p papers.Program, o engine.FindOptions) error {
	o.Budget, o.Schedules = 5*time.Minute, 1
	o.Dir, o.Patterns = p.Fixed, []string{"./..."}
	_, err := engine.Find(ctx, o, nil)
	return err
}

// measure is the finding of the assertion's failure; nil if it is not found. Programs
// with plain shared variables also race.
func measure(ctx context.Context, p papers.Program, o engine.FindOptions) (*report.Finding, error) {
	o.Dir, o.Patterns, o.Run = p.Dir, []string{"./..."}, "^"+p.Entry+"$"
	rep, err := engine.Find(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	for _, f := range rep.Findings {
		if f.Kind == "panic" || f.Kind == "test-failure" {
			return f, nil
		}
	}
	return nil, nil
}
