package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

// result is what came of one program.
type result struct {
	name    string
	found   bool
	fixes   []report.Fix
	touches bool          // the first fix touches what is wrong
	took    time.Duration // to the first verified fix; 0 without one
	checked []string      // what -check found wrong
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
		r.touches = touches(&a.Fixes[0], &c.Truth)
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

// How far from a line an edit may be to touch it. What is put in before or behind a line
// is beside it. A line of the cause is less exact: the lock that must cover it is taken
// before the first statement, and released behind the last.
const (
	beside = 1
	around = 3
)

// touches reports whether a fix changes what is wrong, or makes it atomic.
func touches(f *report.Fix, truth *programs.Truth) bool {
	known := false
	for _, r := range []*programs.TrueRegion{truth.Region, truth.AtomicRegion} {
		if r != nil {
			known = true
			if reaches(f, r.File, r.From, r.To, beside) {
				return true
			}
		}
	}
	lines, near := truth.Lines, beside
	if !known && len(lines) == 0 {
		lines, near = truth.RootCause, around
	}
	for _, l := range lines {
		if reaches(f, l.File, l.Line, l.Line, near) {
			return true
		}
	}
	return false
}

// reaches reports whether an edit or a region of a fix comes as near to lines of a file.
func reaches(f *report.Fix, file string, from, to, near int) bool {
	for _, e := range f.Edits {
		if isFile(e.File, file) && e.Start.Line-near <= to && from <= e.End.Line+near {
			return true
		}
	}
	for _, g := range f.Regions {
		if isFile(g.File, file) && g.From <= to && from <= g.To {
			return true
		}
	}
	return false
}

// isFile compares the name of a file with one that is relative to its module, which may
// be a dependency: "example.com/m@v1.2.3/file.go".
func isFile(name, relative string) bool {
	if _, version, ok := strings.Cut(name, "@"); ok {
		_, name, _ = strings.Cut(version, "/")
	}
	return name == relative
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
	return underRace(ctx, dir)
}

// raceRuns is how often a repaired program is run with the race detector.
const raceRuns = 20

// underRace runs the tests, and the program if there is one, with the race detector, and
// says what went wrong.
func underRace(ctx context.Context, dir string) string {
	commands := [][]string{{"test", "-race", "-count=20", "-timeout=2m", "./..."}}
	if _, err := os.Stat(filepath.Join(dir, "main.go")); err == nil {
		commands = append(commands, []string{"build", "-race", "-o", "racing.exe", "."})
	}
	for _, args := range commands {
		if out, err := output(ctx, dir, "go", args...); err != nil {
			return "go " + strings.Join(args, " ") + ": " + out
		}
	}
	if len(commands) == 1 {
		return ""
	}
	program := filepath.Join(dir, "racing.exe")
	defer os.Remove(program)
	for range raceRuns {
		if out, err := output(ctx, dir, program); err != nil {
			return "run with -race: " + out
		}
	}
	return ""
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
