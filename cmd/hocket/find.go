package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

func findCommand() *cobra.Command {
	var o engine.FindOptions
	var b buildFlags
	var w watcher
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "find [flags] [packages] [-- program arguments]",
		Short: "Search tests and main packages for concurrency bugs",
		Long: `Find runs each test, example and main function of the packages (default: .)
under control of its schedule, and reports what fails under some schedules but
not under others, and data races. Each finding was replayed before it is reported.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.check(); err != nil {
				return err
			}
			o.Patterns, o.Args = splitArgs(cmd, args)
			o.Flags = b.flags
			var err error
			if o.Overlay, err = b.overlaid(); err != nil {
				return err
			}
			if cmd.Flags().Changed("budget") && o.Budget <= 0 {
				return fmt.Errorf("-budget %v: must be positive", o.Budget)
			}
			switch {
			case o.Delay < 0:
				return fmt.Errorf("-delay %v: must not be negative; 0 is no delay", o.Delay)
			case o.Delay == 0:
				o.Delay = -1
			}
			// An explicit seed asks for the schedules that it stands for.
			o.Fresh = o.Fresh || cmd.Flags().Changed("seed")
			ctx, progress, stop, err := w.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			b.ignored(progress)
			ignoredBySearch(cmd, progress, o.Strategy)
			rep, err := engine.Find(ctx, o, progress.update)
			progress.close()
			if err = interrupted(ctx, err); err != nil {
				return cutReport(cmd.OutOrStdout(), o.Patterns, err, asJSON)
			}
			if err := printReport(cmd.OutOrStdout(), rep, asJSON, b.verbose); err != nil {
				return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
			}
			return exit(exitCode(rep))
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Budget, "budget", engine.DefaultBudget, "time for the whole command, shared by the targets")
	f.BoolVar(&o.FreeBuild, "free-build", false, "don't count the first build of a Go version's standard library, which takes a minute or more, in -budget")
	f.IntVar(&o.Schedules, "schedules", engine.DefaultSchedules, "schedules to try per target (0: default)")
	f.StringVar(&o.Run, "run", "", "only tests that match, as in go test (TestX/sub too)")
	f.StringVar(&o.Strategy, "strategy", "auto", strings.Join(engine.Strategies(), ", "))
	f.StringVar(&o.Memory, "memory", "sc", "memory model: sc")
	f.IntVarP(&o.Runs, "n", "n", 0, "runs before the search (reserved for later versions)")
	f.IntVar(&o.Depth, "depth", 0, "depth of bugs that pct looks for (0: random for each run, from 1 to 4)")
	f.DurationVar(&o.Delay, "delay", engine.DefaultDelay, "by how much goroutines that can run may be delayed in a schedule, while timers fire (0: not at all)")
	f.StringVar(&o.TimeDependent, "time-dependent", "show", "failures that need such a delay: show or hide")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the search: another one tries other schedules, equal ones the same; not given, a search goes on where the last one stopped")
	f.BoolVar(&o.Fresh, "fresh", false, "begin anew: don't go on where the last search stopped, and prove again what was proved")
	f.IntVar(&o.Width, "width", 0, "width of the search (reserved for later versions)")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	f.Lookup("n").Hidden, f.Lookup("width").Hidden = true, true
	b.add(cmd)
	w.add(cmd)
	return cmd
}

// ignoredBySearch notes which flags the strategy ignores.
func ignoredBySearch(cmd *cobra.Command, r reporter, strategy string) {
	if cmd.Flags().Changed("depth") && !engine.HasDepth(strategy) {
		note(r, fmt.Sprintf("-depth is ignored; -strategy %s has none", strategy))
	}
	for _, later := range []string{"width", "n"} {
		if cmd.Flags().Changed(later) {
			note(r, fmt.Sprintf("-%s is ignored; this version has no use for it", later))
		}
	}
}

// cutReport prints an object for who reads objects if the search was cut short
// before there was a report. It returns the error.
func cutReport(w io.Writer, patterns []string, err error, asJSON bool) error {
	var e *exitError
	if asJSON && errors.As(err, &e) && e.code == exitCut {
		rep := &report.Report{Version: report.Version, Package: cmp.Or(strings.Join(patterns, " "), "."),
			Targets: []*report.Target{}, Findings: []*report.Finding{}, Warnings: []string{words.OneLine(err.Error())}}
		return errors.Join(err, printReport(w, rep, true, false))
	}
	return err
}

// exitCode: findings win over a search that was cut short.
func exitCode(rep *report.Report) int {
	if len(rep.Findings) > 0 {
		return exitFindings
	}
	code := exitNothing
	ran := false
	for _, t := range rep.Targets {
		switch t.Status {
		case report.CutShort, report.NotReached:
			code = exitCut
			ran = true
		case report.Error:
		default:
			ran = true
		}
	}
	if !ran {
		return exitUsage
	}
	return code
}

func printReport(w io.Writer, rep *report.Report, asJSON, verbose bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(rep)
	}
	for _, f := range rep.Findings {
		if err := printFinding(w, f); err != nil {
			return err
		}
	}
	if err := printWithheld(w, rep, verbose); err != nil {
		return err
	}
	return printTargets(w, rep)
}

func printFinding(w io.Writer, f *report.Finding) error {
	p := &printer{w: w}
	p.f("%s  %s %s: %s\n", f.ID, f.Package, f.Entry, f.Headline())
	if f.Sentence != "" {
		p.f("    %s\n", f.Sentence)
	}
	p.f("    %s\n", f.Evidence())
	for i, a := range f.RootCause {
		p.f("    %d. %s\n", i+1, a)
	}
	for _, b := range f.Blocked {
		p.f("    %s\n", b)
	}
	if !f.Unkept {
		p.f("    hocket explain %s   hocket replay -n 100 %s\n", f.ID, f.ID)
	}
	p.f("\n")
	return p.err
}

// printWithheld lists what was seen and is no finding, or says how much that is.
func printWithheld(w io.Writer, rep *report.Report, verbose bool) error {
	p := &printer{w: w}
	n := 0
	for _, t := range rep.Targets {
		n += len(t.Withheld)
		for _, seen := range t.Withheld {
			if verbose {
				p.f("%s %s: seen and not reported: %s\n", t.Package, t.Entry, seen)
			}
		}
	}
	if n > 0 && !verbose {
		p.f("%s seen and not reported; -v says what and why.\n", words.Count(n, "failure"))
	}
	return p.err
}

func printTargets(w io.Writer, rep *report.Report) error {
	p := &printer{w: w}
	runs, byStatus := 0, map[report.Status]int{}
	predicted, happened := 0, 0
	for _, t := range rep.Targets {
		runs += t.Runs
		predicted, happened = predicted+t.Searched.Predicted, happened+t.Searched.Happened
		byStatus[t.Status]++
		switch t.Status {
		case report.Error, report.NotControllable, report.FailsAlways:
			p.f("%s %s: %s: %s\n", t.Package, t.Entry, t.Status, t.Error)
		case report.CutShort:
			p.f("%s %s: cut short after %s\n", t.Package, t.Entry, covered(t))
		case report.NotReached:
			p.f("%s %s: not reached\n", t.Package, t.Entry)
		case report.Clean:
			p.f("%s %s: clean, %s\n", t.Package, t.Entry, t.Note)
			continue
		case report.Searched:
			if t.Note != "" {
				p.f("%s %s: searched, %s\n", t.Package, t.Entry, t.Note)
			}
			continue
		}
		if t.Note != "" {
			p.f("%s %s: %s\n", t.Package, t.Entry, t.Note)
		}
	}
	p.f("%s; %s in %s.\n", words.Count(len(rep.Findings), "finding"), words.Count(runs, "run"), words.Count(len(rep.Targets), "target"))
	if predicted > 0 {
		p.f("%s predicted, %d happened when run.\n", words.Count(predicted, "failure"), happened)
	}
	if line := unfinished(rep, byStatus[report.CutShort], byStatus[report.NotReached]); line != "" {
		p.f("%s\n", line)
	}
	return p.err
}

// unfinished says how much of the planned search is left, "" if nothing is.
func unfinished(rep *report.Report, cut, missed int) string {
	var parts []string
	if cut > 0 {
		parts = append(parts, fmt.Sprintf("%d cut short", cut))
	}
	if missed > 0 {
		parts = append(parts, fmt.Sprintf("%d not reached", missed))
	}
	if parts == nil {
		return ""
	}
	line := fmt.Sprintf("Of %s, %s before the planned search was completed", words.Count(len(rep.Targets), "target"), strings.Join(parts, " and "))
	if needs := rep.Needs(); needs > 0 {
		line += fmt.Sprintf("; the rest needs about %s", roughly(needs))
	}
	return line + ". The next search goes on from here; -budget gives it more time."
}

// roughly is a time as people say it.
func roughly(d time.Duration) string {
	if d < 100*time.Second {
		return words.Count(int(max(d.Round(time.Second), time.Second)/time.Second), "second")
	}
	return words.Count(int(d.Round(time.Minute)/time.Minute), "minute")
}

// covered says what was tried of a target, and what the rest needs.
func covered(t *report.Target) string {
	tried, plan := t.Searched.Attempts+t.Searched.Earlier, t.Searched.Planned+t.Searched.Earlier
	s := words.Count(tried, "schedule")
	if plan > 0 {
		s = fmt.Sprintf("%d of %d schedules", tried, plan)
	}
	if t.Searched.TotalMS > 0 {
		s += fmt.Sprintf(" in %.1fs", float64(t.Searched.TotalMS)/1000)
	}
	if t.NeedsMS > 0 {
		s += fmt.Sprintf(", the rest needs about %s", roughly(time.Duration(t.NeedsMS)*time.Millisecond))
	}
	return s
}

// printer keeps the first error of a row of prints.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func round(d time.Duration) time.Duration { return max(d, 0).Round(time.Second) }
