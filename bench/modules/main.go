// Command modules measures Hocket on published modules: each case is a small
// driver in a main module, the bug is in the dependency. On the version with
// the bug it must be found, with a root cause inside the dependency's files;
// on the version without it nothing may be reported.
//
//	go run ./bench/modules [-only name,name] [-budget 90s] [-keep folder]
//
// The modules come from the module proxy, so this is not a test.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

func main() {
	only := flag.String("only", "", "names of the cases to run, separated by commas")
	budget := flag.Duration("budget", 90*time.Second, "budget of one find")
	sides := flag.String("sides", "buggy,fixed", "versions to run")
	keep := flag.String("keep", "", "lay the drivers out in this folder and keep them")
	seed := flag.Uint64("seed", 0, "seed of the searches")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *only, *sides, *keep, engine.FindOptions{Budget: *budget, Seed: *seed}); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, only, sides, keep string, o engine.FindOptions) error {
	all, err := load()
	if err != nil {
		return err
	}
	if keep == "" {
		if keep, err = os.MkdirTemp("", "hocket-modules"); err != nil {
			return err
		}
		defer os.RemoveAll(keep)
	}
	var sum tally
	for _, b := range all {
		if only != "" && !slices.Contains(strings.Split(only, ","), b.name) {
			continue
		}
		for _, side := range strings.Split(sides, ",") {
			p := b.buggy
			if side == "fixed" {
				p = b.fixed
			}
			if p.path == "" {
				continue
			}
			m := measure(ctx, b, side, p, filepath.Join(keep, b.name, side), o)
			sum.add(side, m)
			m.print(w, b, side, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	fmt.Fprintf(w, "\nfound %d of %d, root cause inside the dependency %d; fixed versions with a finding %d of %d\n",
		sum.found, sum.buggy, sum.inside, sum.false, sum.fixed)
	return nil
}

type tally struct{ buggy, fixed, found, inside, false int }

func (t *tally) add(side string, m measured) {
	found := m.err == nil && len(m.rep.Findings) > 0
	switch {
	case side == "fixed":
		t.fixed++
		if found {
			t.false++
		}
	default:
		t.buggy++
		if found {
			t.found++
		}
		if found && m.inside {
			t.inside++
		}
	}
}

// measured is what one find gave.
type measured struct {
	rep    *report.Report
	err    error
	took   time.Duration
	inside bool // the first finding's root cause has an access in the dependency
}

func measure(ctx context.Context, b *bench, side string, p pkg, dir string, o engine.FindOptions) measured {
	if err := b.write(dir, side, p); err != nil {
		return measured{err: err}
	}
	if err := tidy(ctx, dir); err != nil {
		return measured{err: err}
	}
	o.Dir, o.Patterns = dir, []string{"."}
	start := time.Now()
	rep, err := engine.Find(ctx, o, func(engine.Update) {})
	m := measured{rep: rep, err: err, took: time.Since(start)}
	if err == nil && len(rep.Findings) > 0 {
		m.inside = slices.ContainsFunc(rep.Findings[0].RootCause, func(a report.Access) bool {
			return strings.HasPrefix(a.File, p.String()+"/")
		})
	}
	return m
}

func tidy(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(strings.TrimSpace(string(out)))
	}
	return nil
}

func (m measured) print(w io.Writer, b *bench, side string, p pkg) {
	fmt.Fprintf(w, "%s %s %s: ", b.name, side, p)
	if m.err != nil {
		fmt.Fprintf(w, "error: %v\n", m.err)
		return
	}
	runs, verdicts := 0, []string{}
	for _, t := range m.rep.Targets {
		runs += t.Runs
		verdicts = append(verdicts, string(t.Status))
		if t.Error != "" {
			verdicts = append(verdicts, t.Error)
		}
	}
	fmt.Fprintf(w, "%s, %d runs, %.1f s\n", strings.Join(verdicts, "; "), runs, m.took.Seconds())
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range m.rep.Findings {
		fmt.Fprintf(tw, "    %s\t%s\t%s%s\tafter %d attempts, %.1f s\t%s\n", f.Kind, f.Class, f.Confirmed, count(f.Native),
			f.Search.Attempts, float64(f.Search.TotalMS)/1000, oneLine(f.Message))
		for _, a := range f.RootCause {
			fmt.Fprintf(tw, "        %s:%d\t%s %s\t%s\t%s\n", a.File, a.Line, a.Op, a.Var, a.Goroutine, call(a))
		}
		if len(f.Blocked) > 0 {
			fmt.Fprintf(tw, "        blocked: %d\n", len(f.Blocked))
		}
	}
	tw.Flush()
}

func call(a report.Access) string {
	if a.Call == nil {
		return ""
	}
	return fmt.Sprintf("called at %s:%d", a.Call.File, a.Call.Line)
}

func count(c *report.Count) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf(" %d/%d", c.Failed, c.Runs)
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return s
}
