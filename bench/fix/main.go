// Command fix measures repairs: is there a verified one, does the first one offered touch
// what is wrong, and does the verifier reject what does not repair?
//
//	go run ./bench/fix [-set seen|unseen] [-only name,name] [-check] [-budget 60s]
//	go run ./bench/fix -dir FOLDER
//	go run ./bench/fix -wrong
//
// The sets are those of bench/explain/programs, or a folder of cases (see
// docs/benchmarks.md). Each program is copied, searched, and its finding repaired. With
// -check each verified fix is applied to the copy, searched with 1,000 schedules, and run
// 20 times with -race. With -wrong the repairs of wrong.go, which do not repair, are
// handed to the verifier: it must reject them all.
package main

import (
	"context"
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

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

type options struct {
	folder, only string
	wrong, check bool
	find         engine.FindOptions
	budget       time.Duration
}

func main() {
	var o options
	set := flag.String("set", "seen", "seen or unseen: a set of bench/explain/programs")
	flag.StringVar(&o.folder, "dir", "", "a folder of cases, in place of a set")
	flag.StringVar(&o.only, "only", "", "names of the programs to run, separated by commas")
	flag.BoolVar(&o.wrong, "wrong", false, "hand wrong repairs to the verifier")
	flag.BoolVar(&o.check, "check", false, "apply each verified fix, search it again, and run it with -race")
	flag.DurationVar(&o.budget, "budget", engine.DefaultFixBudget, "time for the fixes of a finding")
	flag.DurationVar(&o.find.Budget, "find-budget", 20*time.Second, "budget of one find")
	flag.Parse()
	if o.folder == "" {
		o.folder = filepath.Join("bench", "explain", "programs", *set)
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
	if o.wrong {
		return tryWrong(ctx, w, o, tmp)
	}
	all, err := programs.Copies(o.folder, o.only, tmp)
	if err != nil {
		return err
	}
	t := table.New(w, "program", "found", "tried", "verified", "first", "touches", "s")
	var measured []result
	for _, c := range all {
		if c.Truth.Weak {
			continue
		}
		r, err := measure(ctx, c, o)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		measured = append(measured, r)
		r.row(t)
	}
	for _, r := range measured {
		r.details(w)
	}
	fmt.Fprintln(w, "\n"+summary(measured))
	return ctx.Err()
}

// result is what came of one program.
type result struct {
	name    string
	found   bool
	fixes   []report.Fix
	touches bool // the first fix touches a true line, or the function of one
	took    time.Duration
	checked []string // what -check found wrong
}

func measure(ctx context.Context, c programs.Case, o options) (result, error) {
	r := result{name: c.Name}
	f, err := search(ctx, c.Dir, o.find)
	if err != nil || f == nil {
		return r, err
	}
	r.found = true
	a, err := engine.Fix(ctx, engine.FixOptions{Dir: c.Dir, ID: f.ID, Budget: o.budget}, nil)
	if err != nil {
		return r, err
	}
	r.fixes = a.Fixes
	if len(a.Fixes) > 0 {
		r.touches = touches(&a.Fixes[0], c.Truth.RootCause)
	}
	for i := range a.Fixes {
		if a.Fixes[i].Verified == "" {
			continue
		}
		if d := time.Duration(a.Fixes[i].MS) * time.Millisecond; r.took == 0 || d < r.took {
			r.took = d
		}
		if o.check && a.Fixes[i].Dependency == "" {
			if why := recheck(ctx, c.Dir, a, &a.Fixes[i], o); why != "" {
				r.checked = append(r.checked, a.Fixes[i].Title+": "+why)
			}
		}
	}
	return r, nil
}

func search(ctx context.Context, dir string, o engine.FindOptions) (*report.Finding, error) {
	o.Dir, o.Patterns, o.FreeBuild = dir, []string{"./..."}, true
	rep, err := engine.Find(ctx, o, nil)
	if err != nil || len(rep.Findings) == 0 {
		return nil, err
	}
	return rep.Findings[0], nil
}

// near is how far from a true line an edit may be to count as touching it: a lock is taken
// before the first statement, and released behind the last.
const near = 3

// touches reports whether a fix changes a line at, or right beside, one that matters.
func touches(f *report.Fix, lines []programs.TrueLine) bool {
	for _, e := range f.Edits {
		for _, l := range lines {
			if strings.HasSuffix(e.File, filepath.Base(l.File)) && e.Start.Line-near <= l.Line && l.Line <= e.End.Line+near {
				return true
			}
		}
	}
	for _, g := range f.Regions {
		for _, l := range lines {
			if strings.HasSuffix(g.File, filepath.Base(l.File)) && g.From <= l.Line && l.Line <= g.To {
				return true
			}
		}
	}
	return false
}

// recheck applies a fix, searches the program with 1,000 schedules, and runs its tests with
// the race detector. The files are as before when it returns.
func recheck(ctx context.Context, dir string, a *engine.FixAnswer, f *report.Fix, o options) string {
	before := map[string][]byte{}
	for _, e := range f.Edits {
		path := filepath.Join(dir, filepath.FromSlash(e.File))
		if text, err := os.ReadFile(path); err == nil {
			before[path] = text
		}
	}
	defer func() {
		for path, text := range before {
			os.WriteFile(path, text, 0o666)
		}
	}()
	if err := a.Apply(f); err != nil {
		return err.Error()
	}
	again := o.find
	again.Dir, again.Patterns, again.Schedules, again.Budget, again.Fresh, again.Seed = dir, []string{"./..."}, 1000, time.Minute, true, 77
	rep, err := engine.Find(ctx, again, nil)
	switch {
	case err != nil:
		return err.Error()
	case len(rep.Findings) > 0:
		return "found again: " + rep.Findings[0].Headline()
	}
	args := []string{"test", "-race", "-count=20", "./..."}
	if _, err := os.Stat(filepath.Join(dir, "main.go")); err == nil {
		args = []string{"run", "-race", "."}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "go " + strings.Join(args, " ") + ": " + strings.TrimSpace(string(out))
	}
	return ""
}

func (r *result) verified() int {
	return len(slices.DeleteFunc(slices.Clone(r.fixes), func(f report.Fix) bool { return f.Verified == "" }))
}

func (r *result) row(t *table.Table) {
	first := ""
	if len(r.fixes) > 0 && r.fixes[0].Verified != "" {
		first = r.fixes[0].Title + " (" + r.fixes[0].Verified + ")"
	}
	t.Row(r.name, r.found, len(r.fixes), r.verified(), first, r.touches, fmt.Sprintf("%.1f", r.took.Seconds()))
}

func (r *result) details(w io.Writer) {
	for _, f := range r.fixes {
		if f.Verified == "" {
			fmt.Fprintf(w, "%s: %s: %s\n", r.name, f.Title, f.Reason)
		}
	}
	for _, c := range r.checked {
		fmt.Fprintf(w, "%s: NOT HELD: %s\n", r.name, c)
	}
}

func summary(all []result) string {
	found, verified, touch, held, fixes := 0, 0, 0, 0, 0
	var took []time.Duration
	for _, r := range all {
		if r.found {
			found++
		}
		if n := r.verified(); n > 0 {
			verified++
			fixes += n
			held += n - len(r.checked)
			took = append(took, r.took)
		}
		if r.touches {
			touch++
		}
	}
	slices.Sort(took)
	median := time.Duration(0)
	if len(took) > 0 {
		median = took[len(took)/2]
	}
	return fmt.Sprintf("%d programs, %d found, %d with a verified fix; the first fix touches what is wrong in %d; %d of %d verified fixes held when checked (all, without -check); %.1f s to the first one at the median",
		len(all), found, verified, touch, held, fixes, median.Seconds())
}

// tryWrong hands wrong repairs to the verifier.
func tryWrong(ctx context.Context, w io.Writer, o options, tmp string) error {
	ids := map[string]*report.Finding{}
	dirs := map[string]string{}
	rejected := 0
	for i, x := range wrongs {
		if ids[x.program] == nil {
			set, name := filepath.Split(x.program)
			all, err := programs.Copies(filepath.Join("bench", "explain", "programs", set), name, filepath.Join(tmp, fmt.Sprint(i)))
			if err != nil {
				return err
			}
			dirs[x.program] = all[0].Dir
			if ids[x.program], err = search(ctx, all[0].Dir, o.find); err != nil {
				return err
			}
			if ids[x.program] == nil {
				return fmt.Errorf("nothing was found in %s", x.program)
			}
		}
		path := filepath.Join(dirs[x.program], x.file)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		edited := string(text)
		for j := 0; j < len(x.replace); j += 2 {
			if !strings.Contains(edited, x.replace[j]) {
				return fmt.Errorf("%s: %s has no %q", x.name, x.program, x.replace[j])
			}
			edited = strings.Replace(edited, x.replace[j], x.replace[j+1], 1)
		}
		fix, err := engine.CheckFix(ctx, engine.FixOptions{Dir: dirs[x.program], ID: ids[x.program].ID, Budget: o.budget}, map[string][]byte{path: []byte(edited)}, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		verdict := "rejected: " + fix.Reason
		if fix.Verified != "" {
			verdict = "ACCEPTED: " + fix.Verified
		} else {
			rejected++
		}
		fmt.Fprintf(w, "%-45s %s\n", x.name+" ("+filepath.Base(x.program)+")", verdict)
	}
	fmt.Fprintf(w, "\n%d of %d wrong repairs rejected\n", rejected, len(wrongs))
	return nil
}
