// Command kernels measures Hocket on the GoKer kernels that the Go
// distribution carries as tests of its goroutine leak profile: small programs
// cut from known bugs of large ones.
//
//	go run ./bench/kernels [-once] [-only Name,Name] [-budget 60s]
//
// They are read from GOROOT. The runtime's own test says which goroutines must
// be blocked, and on what; a kernel that it leaves out has no expectation. The
// distribution starts many of them a thousand times in one process; with -once
// each is started once, so that a finding needs the right schedule, not luck.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

func main() {
	only := flag.String("only", "", "names of the kernels to run, separated by commas")
	budget := flag.Duration("budget", 60*time.Second, "budget of one find")
	strategy := flag.String("strategy", "auto", "strategy of the search")
	seed := flag.Uint64("seed", 0, "seed of the searches")
	once := flag.Bool("once", false, "start each kernel once, not as often in one process as the distribution does")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// The kernels ask for the leak profile by name; up to Go 1.26 it is an experiment.
	os.Setenv("GOEXPERIMENT", "goroutineleakprofile")
	o := engine.FindOptions{Budget: *budget, Strategy: *strategy, Seed: *seed}
	if err := run(ctx, os.Stdout, *only, *once, o); err != nil {
		fmt.Fprintln(os.Stderr, "kernels: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, only string, once bool, o engine.FindOptions) error {
	dir, err := os.MkdirTemp("", "hocket-kernels-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := programs.Kernels(ctx, dir)
	if err != nil {
		return err
	}
	if once {
		if err := programs.Single(dir); err != nil {
			return err
		}
	}
	// The first build of the standard library takes longer than a budget.
	o.Dir = dir
	warm, err := harness.OpenProgram(ctx, o)
	if err != nil {
		return err
	}
	warm.Close()
	t := table.New(w, "kernel          ", "found", "tries", "sec  ", "kind/class             ", "confirmed ", "expected seen", "root cause")
	kernels, found, expected, some, every := 0, 0, 0, 0, 0
	for _, k := range all {
		if only != "" && !slices.Contains(strings.Split(only, ","), k.Name) {
			continue
		}
		o.Args = []string{k.Name}
		start := time.Now()
		rep, err := engine.Find(ctx, o, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, seen := best(k, rep.Findings)
		show(t, k, rep, f, seen, time.Since(start))
		kernels++
		if len(k.Leaks) > 0 {
			expected++
		}
		if f != nil {
			found++
		}
		if seen > 0 {
			some++
		}
		if seen > 0 && seen == len(k.Leaks) {
			every++
		}
		// Their stored findings are of no use.
		os.RemoveAll(dir + "/.hocket")
	}
	fmt.Fprintf(w, "\n%d kernels, %d found; of %d with an expectation %d at an expected place, %d at all of them\n", kernels, found, expected, some, every)
	return nil
}

// best is the finding that shows most of what is expected.
func best(k programs.Kernel, fs []*report.Finding) (most *report.Finding, hits int) {
	for _, f := range fs {
		if n := seen(k, f); most == nil || n > hits {
			most, hits = f, n
		}
	}
	return most, hits
}

func show(t *table.Table, k programs.Kernel, rep *report.Report, f *report.Finding, seen int, took time.Duration) {
	target := rep.Targets[0]
	tries := target.Searched.Attempts
	if f == nil {
		t.Row(k.Name, "no", tries, took.Seconds(), string(target.Status), "", "", target.Error)
		return
	}
	hit := "not named"
	if len(k.Leaks) > 0 {
		hit = fmt.Sprintf("%d of %d", seen, len(k.Leaks))
	}
	var cause []string
	for _, a := range f.RootCause {
		cause = append(cause, fmt.Sprintf("%d:%s", a.Line, a.Op))
	}
	t.Row(k.Name, "yes", tries, took.Seconds(), f.Kind+"/"+f.Class, string(f.Confirmed), hit, strings.Join(cause, " "))
}
