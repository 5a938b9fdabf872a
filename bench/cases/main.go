// Command cases measures Hocket on small programs with one known bug each:
//
//	go run ./bench/cases [-only name,name] [-budget 60s] -cases FOLDER
//
// Each folder below FOLDER is a module with a truth.json (which accesses
// matter) and a folder fixed/ with the same program without the bug. It is
// copied first; nothing is written to FOLDER. Of each program the first
// finding is shown, and whether its root cause names the lines of truth.json;
// then what a find reports on the fixed twin, and what the order that makes
// the program fail does to the twin.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

type options struct {
	folder, only string
	twin         bool
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
	truths, err := filepath.Glob(filepath.Join(o.folder, "*", "truth.json"))
	if err != nil || len(truths) == 0 {
		return fmt.Errorf("%s has no folder with a truth.json", o.folder)
	}
	tmp, err := os.MkdirTemp("", "hocket-cases-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	t := table.New(w, "case        ", "found", "tries", "sec  ", "kind/class                  ", "root cause ", "replays", "native ", "twin's findings", "twin's native        ", "sec", "notes")
	var sum summary
	for _, truth := range truths {
		name := filepath.Base(filepath.Dir(truth))
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), name) {
			continue
		}
		dir := filepath.Join(tmp, name)
		if err := os.CopyFS(dir, os.DirFS(filepath.Dir(truth))); err != nil {
			return err
		}
		r, err := measure(ctx, dir, o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.print(t, name)
		sum.add(r)
	}
	fmt.Fprintln(w, "\n"+sum.String())
	return nil
}

// truth is what a case's author knows of its bug.
type truth struct {
	RootCause []struct {
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"root_cause"`
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
	twin     *engine.Twin
	twinErr  error
}

func measure(ctx context.Context, dir string, o options) (*result, error) {
	var known truth
	data, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &known); err != nil {
		return nil, err
	}
	// The twin is a module of its own, beside this one.
	fixed := dir + "-fixed"
	if err := os.Rename(filepath.Join(dir, "fixed"), fixed); err != nil {
		return nil, err
	}
	rep, took, err := find(ctx, dir, o.find)
	if err != nil {
		return nil, err
	}
	r := &result{targets: rep.Targets, took: took}
	if len(rep.Findings) > 0 {
		r.first = rep.Findings[0]
		r.others = kinds(rep.Findings[1:])
		r.cover(known)
	}
	if !o.twin {
		return r, nil
	}
	twin, _, err := find(ctx, fixed, o.find)
	if err != nil {
		return nil, fmt.Errorf("fixed twin: %w", err)
	}
	r.twinRan, r.twinSays = true, kinds(twin.Findings)
	if r.first != nil && r.first.Native != nil {
		r.twin, r.twinErr = engine.PlayOnTwin(ctx, engine.TwinOptions{Dir: dir, ID: r.first.ID, Twin: fixed, Runs: 100})
	}
	return r, nil
}

func find(ctx context.Context, dir string, o engine.FindOptions) (*report.Report, time.Duration, error) {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if out, err := command(ctx, dir, "go", "mod", "init", "example.com/case"); err != nil {
			return nil, 0, fmt.Errorf("%w: %s", err, out)
		}
	}
	o.Dir, o.Patterns = dir, []string{"./..."}
	start := time.Now()
	rep, err := engine.Find(ctx, o, nil)
	return rep, time.Since(start), err
}

func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
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
func (r *result) cover(known truth) {
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
		if !named[l] {
			r.missing = append(r.missing, l)
		}
	}
	slices.Sort(r.missing)
}
