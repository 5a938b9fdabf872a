package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

func findCommand() *cobra.Command {
	var o engine.FindOptions
	var b buildFlags
	var w watcher
	var asJSON, ci bool
	var from string
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
			w.lines = ci
			ctx, progress, stop, err := w.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			b.ignored(progress)
			ignoredBySearch(cmd, progress, o.Strategy)
			find := engine.Find
			if from != "" {
				if len(o.Patterns) > 0 || cmd.Flags().Changed("run") {
					note(progress, "packages and -run are ignored; the recorded run of -from says what it is a run of")
				}
				find = func(ctx context.Context, o engine.FindOptions, tell engine.Progress) (*engine.Report, error) {
					return engine.FindFrom(ctx, from, o, tell)
				}
			}
			rep, err := find(ctx, o, progress.update)
			progress.close()
			if err = interrupted(ctx, err); err != nil {
				return orObject(cmd.OutOrStdout(), asJSON, err, cutReport(o.Patterns, err))
			}
			out := screenOf(cmd.OutOrStdout(), o.Overlay)
			out.verbose, out.resumes, out.interrupted = b.verbose, o.Seed == 0, ctx.Err() != nil
			if err := printReport(out, rep, asJSON); err != nil {
				return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
			}
			if ci && !asJSON && os.Getenv("GITHUB_ACTIONS") == "true" {
				if err := annotate(cmd.OutOrStdout(), rep.Findings, sourcesHere(o.Overlay).path); err != nil {
					return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
				}
			}
			return exit(exitCode(rep))
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Budget, "budget", engine.DefaultBudget, "time for the whole command, shared by the targets")
	f.BoolVar(&o.FreeBuild, "free-build", false, "don't count the first build of a Go version's standard library, which takes a minute or more, in -budget")
	f.IntVar(&o.Schedules, "schedules", engine.DefaultSchedules, "schedules to try per target; 0 is the default")
	f.StringVar(&from, "from", "", "a recorded run (hocket record) to have again and explain: a file, an id, or last")
	f.StringVar(&o.Run, "run", "", "only tests that match, as in go test (TestX/sub too)")
	f.StringVar(&o.Strategy, "strategy", "auto", strings.Join(engine.Strategies(), ", "))
	f.StringVar(&o.Memory, "memory", "sc", "memory model: sc, or tso or pso, where stores wait in buffers")
	f.IntVarP(&o.Runs, "n", "n", 0, "runs before the search (reserved for later versions)")
	f.IntVar(&o.Depth, "depth", 0, "depth of bugs that pct looks for (0: random for each run, from 1 to 4)")
	f.DurationVar(&o.Delay, "delay", engine.DefaultDelay, "by how much goroutines that can run may be delayed in a schedule, while timers fire (0: not at all)")
	f.StringVar(&o.TimeDependent, "time-dependent", "show", "failures that need such a delay: show or hide")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the search: another one tries other schedules, equal ones the same; not given, a search goes on where the last one stopped")
	f.BoolVar(&o.Fresh, "fresh", false, "begin anew: don't go on where the last search stopped, and prove again what was proved")
	f.IntVar(&o.Width, "width", 0, "width of the search (reserved for later versions)")
	f.BoolVar(&o.Fix, "fix", false, "look for fixes of what is found, with what is left of the budget")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	f.BoolVar(&ci, "ci", false, "for CI: lines instead of a bar and, in GitHub Actions, findings as annotations of their lines")
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

// cutReport is the report of a search that was cut short before there was one.
func cutReport(patterns []string, err error) *report.Report {
	return &report.Report{Version: report.Version, Package: cmp.Or(strings.Join(patterns, " "), "."),
		Targets: []*report.Target{}, Findings: []*report.Finding{}, Warnings: []string{words.OneLine(err.Error())}}
}

// orObject prints an object for who reads objects if the command was cut short
// before there was an answer. It returns the error.
func orObject(w io.Writer, asJSON bool, err error, object any) error {
	var e *exitError
	if asJSON && errors.As(err, &e) && e.code == exitCut {
		return errors.Join(err, printJSON(w, object))
	}
	return err
}

// exitCode: findings win over a search that was cut short.
func exitCode(rep *report.Report) int {
	if len(rep.Findings) > 0 || rep.Recorded != nil && rep.Recorded.Failure != "" && rep.Recorded.Failed > 0 {
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
