// Command cases measures Hocket on small programs with one known bug each:
//
//	go run ./bench/cases [-only name,name] [-budget 60s] [-break] -cases FOLDER
//
// Each folder below FOLDER is a module, most with a truth.json (which accesses
// matter) and a folder fixed/ with the same program without the bug. It is
// copied first; nothing is written to FOLDER. For each program the command
// shows the first finding, and whether its root cause names the lines of
// truth.json; then what a find reports on the fixed twin, and how often the
// order that makes the program fail makes the twin fail. With -break it
// measures instead the breakpoints and the test, in both forms, that are made
// from a finding, on the buggy and on the fixed program; findings that FOLDER
// already has are used.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
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

type options struct {
	folder, only string
	twin         bool
	breaks       bool // measure what findings become
	runs         int  // with breakpoints
	testRuns     int  // of the standalone form of tests
	shortRuns    int  // of the short form of tests
	find         engine.FindOptions
}

func main() {
	var o options
	flag.StringVar(&o.folder, "cases", "", "the folder of cases")
	flag.StringVar(&o.only, "only", "", "names of the cases to run, separated by commas")
	flag.BoolVar(&o.twin, "twins", true, "run the fixed twins too")
	flag.DurationVar(&o.find.Budget, "budget", 60*time.Second, "budget of one find")
	flag.StringVar(&o.find.Strategy, "strategy", "pos", "strategy of the search")
	flag.Uint64Var(&o.find.Seed, "seed", 0, "seed of the searches")
	flag.BoolVar(&o.breaks, "break", false, "measure breakpoints and tests made from findings")
	flag.IntVar(&o.runs, "runs", 100, "with -break: runs with breakpoints")
	flag.IntVar(&o.testRuns, "test-runs", 100, "with -break: runs of standalone tests")
	flag.IntVar(&o.shortRuns, "short-runs", 20, "with -break: runs of short tests; 0 leaves them out")
	flag.Parse()
	if o.folder == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: cases -cases FOLDER [flags]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "cases: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	tmp, err := os.MkdirTemp("", "hocket-cases-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	read := programs.Modules
	if o.breaks {
		read = programs.Cases
	}
	all, err := read(o.folder, o.only, tmp)
	if err != nil {
		return err
	}
	o.find.FreeBuild = true // of the standard library, which takes longer than a budget
	if o.breaks {
		return breaks(ctx, w, all, o)
	}
	t := table.New(w, "case        ", "found", "tries", "sec  ", "kind/class                  ", "root cause ", "replays", "native ", "twin's findings", "twin's native        ", "sec", "notes")
	var sum summary
	for _, c := range all {
		r, err := measure(ctx, c, o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.print(t, c.Name)
		sum.add(r)
	}
	fmt.Fprintln(w, "\n"+sum.String())
	return nil
}

// result is what was measured of one case.
type result struct {
	targets  []*report.Target
	first    *report.Finding // nil: nothing found
	others   []string        // kinds of further findings
	took     time.Duration
	lines    int      // of truth.json
	missing  []string // lines of truth.json that the root cause does not name
	twinSays []string // what a find reports on the twin; must be empty
	twinRan  bool
	twin     *harness.Twin
	twinErr  error
}

func measure(ctx context.Context, c programs.Case, o options) (*result, error) {
	rep, took, err := find(ctx, c.Dir, o.find)
	if err != nil {
		return nil, err
	}
	r := &result{targets: rep.Targets, took: took}
	if len(rep.Findings) > 0 {
		r.first = rep.Findings[0]
		r.others = kinds(rep.Findings[1:])
		r.cover(c.Truth)
	}
	if !o.twin || c.Fixed == "" {
		return r, nil
	}
	twin, _, err := find(ctx, c.Fixed, o.find)
	if err != nil {
		return nil, fmt.Errorf("fixed twin: %w", err)
	}
	r.twinRan, r.twinSays = true, kinds(twin.Findings)
	if r.first != nil && r.first.Native != nil {
		r.twin, r.twinErr = harness.PlayOnTwin(ctx, harness.TwinOptions{Dir: c.Dir, ID: r.first.ID, Twin: c.Fixed, Runs: 100})
	}
	return r, nil
}

func find(ctx context.Context, dir string, o engine.FindOptions) (*report.Report, time.Duration, error) {
	o.Dir, o.Patterns = dir, []string{"./..."}
	start := time.Now()
	rep, err := engine.Find(ctx, o, nil)
	return rep, time.Since(start), err
}

func kinds(fs []*report.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Kind)
	}
	return out
}

// cover compares the root cause with the lines that the author names: an
// access is at its own line and at that of its call.
func (r *result) cover(known programs.Truth) {
	named := map[string]bool{}
	at := func(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }
	for _, a := range r.first.RootCause {
		named[at(a.File, a.Line)] = true
		if a.Call != nil {
			named[at(a.Call.File, a.Call.Line)] = true
		}
	}
	want := map[string]bool{}
	for _, l := range known.RootCause {
		want[at(l.File, l.Line)] = true
	}
	r.lines = len(want)
	for l := range want {
		if named[l] || slices.ContainsFunc(slices.Collect(maps.Keys(named)), func(n string) bool { return strings.HasSuffix(n, "/"+l) }) {
			continue // a dependency's file is named with its module
		}
		r.missing = append(r.missing, l)
	}
	slices.Sort(r.missing)
}
