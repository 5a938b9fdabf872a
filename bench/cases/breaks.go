package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

// breaks measures what a finding becomes: a breakpoint of the breakpoints
// file, and a test, in both forms. A run of a test is one of -count.
func breaks(ctx context.Context, w io.Writer, all []programs.Case, o options) error {
	t := table.New(w, "case        ", "finding                       ", "break run", "plain", "ms   ", "standalone: buggy", "fixed  ", "short: buggy", "fixed  ", "sec  ", "on the fixed one")
	var sum breakSummary
	for _, c := range all {
		start := time.Now()
		r, err := measureBreaks(ctx, c, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		note := r.alone.fixed.why
		if err != nil {
			note = strings.Join(strings.Fields(err.Error()), " ")
		}
		sum.add(r)
		t.Row(c.Name, r.finding, ratio(&r.run), ratio(&r.plain), r.ms, r.alone.buggy.String(), r.alone.fixed.String(), r.short.buggy.String(), r.short.fixed.String(),
			time.Since(start).Seconds(), note)
	}
	fmt.Fprintln(w, "\n"+sum.String())
	return nil
}

// broken is what was measured of one case.
type broken struct {
	finding      string
	run, plain   report.Count
	ms           float64
	alone, short forms
}

// forms is one form of the test in both programs.
type forms struct{ buggy, fixed tested }

// tested counts the runs of a test.
type tested struct {
	runs, failed, skipped int
	why                   string // of the last that did not fail
}

func (t tested) String() string {
	s := fmt.Sprintf("%d/%d", t.failed, t.runs)
	if t.skipped > 0 {
		s += fmt.Sprintf(" (%d skipped)", t.skipped)
	}
	return s
}

func measureBreaks(ctx context.Context, c programs.Case, o options) (*broken, error) {
	r := &broken{}
	f, err := findingOf(ctx, c, o)
	if err != nil {
		return r, err
	}
	r.finding = f.ID + " " + f.Kind
	b, err := engine.BreakFromFinding(ctx, engine.BreakFromFindingOptions{Dir: c.Dir, ID: f.ID}, nil)
	if err != nil {
		return r, err
	}
	run, err := engine.RunBreaks(ctx, engine.RunBreaksOptions{Dir: c.Dir, Patterns: []string{f.Package}, IDs: []string{b.ID}, N: o.runs, Plain: o.runs / 5}, nil)
	if err != nil {
		return r, err
	}
	r.run, r.plain, r.ms = report.Count{Runs: run.Runs, Failed: run.Failed}, report.Count{Runs: run.Plain.Runs, Failed: run.Plain.Failed}, run.MS
	if r.alone, err = testForms(ctx, c, f, true, o.testRuns); err != nil {
		return r, err
	}
	if o.shortRuns == 0 {
		return r, nil
	}
	if err := requireHocket(ctx, c.Dir, c.Fixed); err != nil {
		return r, err
	}
	r.short, err = testForms(ctx, c, f, false, o.shortRuns)
	return r, err
}

// findingOf takes a finding that is there already, and else searches. The best
// confirmed is wanted.
func findingOf(ctx context.Context, c programs.Case, o options) (*report.Finding, error) {
	kept, _, err := engine.List(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	var all []*report.Finding
	for _, f := range kept {
		all = append(all, f.Finding)
	}
	if len(all) == 0 {
		rep, _, err := find(ctx, c.Dir, o.find)
		if err != nil {
			return nil, err
		}
		all = rep.Findings
	}
	var best *report.Finding
	for _, f := range all {
		if best == nil || best.Confirmed != report.Native && f.Confirmed == report.Native {
			best = f
		}
	}
	if best == nil {
		return nil, fmt.Errorf("nothing found")
	}
	return best, nil
}

// testForms prints the test in one form, puts it into the buggy and the fixed
// program, and runs it there by go test.
func testForms(ctx context.Context, c programs.Case, f *report.Finding, standalone bool, runs int) (forms, error) {
	printed, err := engine.ReproductionTest(ctx, engine.ReproductionOptions{Dir: c.Dir, ID: f.ID, Standalone: standalone}, nil)
	if err != nil {
		return forms{}, err
	}
	text := printed.Text
	if short := !strings.Contains(text, "// Machinery"); short == standalone {
		return forms{}, fmt.Errorf("the test was printed in the wrong form")
	}
	var out forms
	if out.buggy, err = goTest(ctx, c.Dir, text, runs); err != nil {
		return out, fmt.Errorf("buggy program: %w", err)
	}
	if out.fixed, err = goTest(ctx, c.Fixed, text, runs); err != nil {
		return out, fmt.Errorf("fixed program: %w", err)
	}
	return out, nil
}

var verdict = regexp.MustCompile(`(?m)^\s*--- (FAIL|PASS|SKIP): TestHocket`)
var said = regexp.MustCompile(`(?m)^ +hocket_[a-z_]+_test\.go:\d+: (.*)$`)

func goTest(ctx context.Context, dir, text string, runs int) (tested, error) {
	name := filepath.Join(dir, "hocket_bench_test.go")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return tested{}, err
	}
	defer os.Remove(name)
	cmd := exec.CommandContext(ctx, "go", "test", "-v", "-timeout=30m", "-run=^TestHocket", fmt.Sprint("-count=", runs), ".")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // the verdicts say how it went
	var t tested
	for _, m := range verdict.FindAllStringSubmatch(string(out), -1) {
		t.runs++
		switch m[1] {
		case "FAIL":
			t.failed++
			if !strings.Contains(string(out), "reproduced: ") {
				return t, fmt.Errorf("fails without reproducing: %.2000s", out)
			}
		case "SKIP":
			t.skipped++
		}
	}
	if t.runs != runs {
		return t, fmt.Errorf("%d of %d runs: %.2000s", t.runs, runs, out)
	}
	for _, m := range said.FindAllStringSubmatch(string(out), -1) {
		if !strings.HasPrefix(m[1], "reproduced") {
			t.why = m[1]
		}
	}
	return t, nil
}

// requireHocket makes the modules require this one, from its folder.
func requireHocket(ctx context.Context, dirs ...string) error {
	const module = "github.com/hocket-dev/hocket"
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("run this from a folder of Hocket's: %w", err)
	}
	for _, dir := range dirs {
		if err := tidy(ctx, dir, "-require="+module+"@v0.0.0", "-replace="+module+"="+strings.TrimSpace(string(out))); err != nil {
			return err
		}
	}
	return nil
}

// tidy edits a go.mod, and adds what a test that imports the library needs.
func tidy(ctx context.Context, dir string, edits ...string) error {
	name := filepath.Join(dir, "hocket_needs_test.go")
	text := "package p_test\n\nimport _ \"github.com/hocket-dev/hocket/breakpoints/reproduce\"\n"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return err
	}
	defer os.Remove(name)
	for _, args := range [][]string{append([]string{"mod", "edit"}, edits...), {"mod", "tidy", "-e"}} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go mod %s: %w: %s", args[1], err, text)
		}
	}
	return nil
}

// breakSummary counts what went as it should.
type breakSummary struct{ cases, breaks, alone, short, quiet int }

func (s *breakSummary) add(r *broken) {
	s.cases++
	count := func(n *int, failed, runs int) {
		if runs > 0 && failed*100 >= runs*99 {
			*n++
		}
	}
	count(&s.breaks, r.run.Failed, r.run.Runs)
	count(&s.alone, r.alone.buggy.failed, r.alone.buggy.runs)
	count(&s.short, r.short.buggy.failed, r.short.buggy.runs)
	if r.alone.fixed.runs > 0 && r.alone.fixed.failed+r.short.fixed.failed == 0 {
		s.quiet++
	}
}

func (s *breakSummary) String() string {
	return fmt.Sprintf("%d cases: breakpoints fail in at least 99%% of the runs of %d, standalone tests of %d, short tests of %d; %d fixed programs never fail",
		s.cases, s.breaks, s.alone, s.short, s.quiet)
}
