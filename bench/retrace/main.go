// Command retrace measures what hocket find -from makes of runs of which only the paths
// were recorded: for each test below a folder, runs are recorded in mode paths until one
// fails, and an order is computed for that. Beside it stands what a plain find comes upon
// in as many attempts, which knows nothing of the run.
//
//	go run ./bench/retrace [-n 5000] [-attempts 20] [-budget 60s] [-only name,name] [FOLDER]
//
// FOLDER is a module, which is copied; without it the flaky programs of bench/record are
// taken.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

type options struct {
	runs, attempts int
	budget         time.Duration
	w              io.Writer
}

func main() {
	o := options{w: os.Stdout}
	flag.IntVar(&o.runs, "n", 5000, "runs to record, until one fails")
	flag.IntVar(&o.attempts, "attempts", 20, "attempts of the plain find")
	flag.DurationVar(&o.budget, "budget", time.Minute, "of each find")
	only := flag.String("only", "", "names of folders, with commas between; empty: all")
	flag.Parse()
	folder := filepath.Join("bench", "record", "testdata", "flaky")
	switch {
	case flag.NArg() == 1:
		folder = flag.Arg(0)
	case flag.NArg() > 1 || o.runs < 1 || o.attempts < 1:
		fmt.Fprintln(os.Stderr, "usage: retrace [-n 5000] [-attempts 20] [-budget 60s] [-only name,name] [FOLDER]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.all(ctx, folder, *only); err != nil {
		fmt.Fprintln(os.Stderr, "retrace: "+err.Error())
		os.Exit(1)
	}
}

func (o options) all(ctx context.Context, folder, only string) error {
	tmp, err := os.MkdirTemp("", "hocket-retrace-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.CopyFS(tmp, os.DirFS(folder)); err != nil {
		return err
	}
	folder = tmp
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.w, "%-12s %8s %10s %9s %7s %6s %9s %9s %9s %8s %7s  %s\n", "", "recorded", "goroutines", "branches", "events", "asked", "computed", "attempts", "followed", "switches", "time", "plain find")
	n, found := 0, 0
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || only != "" && !slices.Contains(strings.Split(only, ","), e.Name()) {
			continue
		}
		fmt.Fprintf(o.w, "%-12s ", e.Name())
		ok, err := o.one(ctx, filepath.Join(folder, e.Name()))
		if err != nil {
			fmt.Fprintln(o.w, err)
			continue
		}
		if n++; ok {
			found++
		}
	}
	fmt.Fprintf(o.w, "%d of %d failed again\n", found, n)
	return nil
}

// one measures the tests of a folder; it reports whether the failure was found.
func (o options) one(ctx context.Context, dir string) (bool, error) {
	rec, err := engine.Record(ctx, engine.RecordOptions{Dir: dir, Patterns: []string{"."}, Runs: o.runs, UntilFailure: true, Mode: "paths"}, nil)
	if err != nil {
		return false, err
	}
	if len(rec.Runs) == 0 {
		return false, fmt.Errorf("no failure in %d recorded runs", o.runs)
	}
	t := rec.Targets[0]
	fmt.Fprintf(o.w, "%8d ", t.Runs)
	// First: what is found is known to later searches.
	plain, err := o.plain(ctx, dir, &report.Recording{Failure: rec.Runs[0].Failure})
	if err != nil {
		return false, err
	}
	start := time.Now()
	rep, err := engine.FindFrom(ctx, rec.Runs[0].ID, engine.FindOptions{Dir: dir, Budget: o.budget, Fresh: true}, nil)
	if err != nil {
		return false, err
	}
	p := rep.Recorded.Paths
	attempts := fmt.Sprint(p.Attempts)
	if !p.Found {
		attempts = "not in " + attempts
	}
	fmt.Fprintf(o.w, "%10d %9d %7d %6d %9d %9s %9s %8d %7s  ", p.Goroutines, p.Branches, p.Events, p.Asked, p.Computed, attempts, fmt.Sprintf("%d of %d", p.Followed, p.Goroutines), p.Switches, time.Since(start).Round(100*time.Millisecond))
	fmt.Fprintln(o.w, plain)
	return p.Found, nil
}

// plain is a find that begins anew and knows no run.
func (o options) plain(ctx context.Context, dir string, rec *report.Recording) (string, error) {
	start := time.Now()
	rep, err := engine.Find(ctx, engine.FindOptions{Dir: dir, Budget: o.budget, Schedules: o.attempts, Fresh: true}, nil)
	if err != nil {
		return "", err
	}
	for _, f := range rep.Findings {
		if rec.Is(f.Kind, f.Message) {
			return fmt.Sprintf("attempt %d, %s", f.Search.Attempts, time.Since(start).Round(100*time.Millisecond)), nil
		}
	}
	return fmt.Sprintf("not in %d", o.attempts), nil
}
