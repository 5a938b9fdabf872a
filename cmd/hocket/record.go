package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

func recordCommand() *cobra.Command {
	var o engine.RecordOptions
	var b buildFlags
	var w watcher
	var asJSON bool
	var logs string
	cmd := &cobra.Command{
		Use:   "record [flags] [packages] [-- program arguments | -- go test ...]",
		Short: "Record runs of tests and main packages, so that they can be followed",
		Long: `Record builds each test, example and main function of the packages (default: .)
with a runtime that records the order of its synchronisation, and runs each -n
times on Go's own scheduler and all processors. The runs are kept in .hocket/runs.
A run that failed can be had again with hocket find -from.

With a go command after -- and no packages, that command is run, and each program
that it builds and runs is recorded: hocket record -- go test ./...

With -logs, runs are taken from the logs in a folder, which programs of
hocket build -record have left there.`,
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
			switch {
			case o.Runs < 1:
				return fmt.Errorf("-n %d: must be positive", o.Runs)
			case o.Timeout < 0:
				return fmt.Errorf("-limit %v: must not be negative; 0 is a minute", o.Timeout)
			case logs == "" && len(o.Patterns) == 0 && len(o.Args) > 0 && filepath.Base(o.Args[0]) != "go":
				return fmt.Errorf("record -- %s: without packages only a go command can be recorded, such as go test ./...; name a package for arguments of its program", o.Args[0])
			}
			if own := logs != "" || len(o.Patterns) == 0 && len(o.Args) > 0; own && o.Mode != "order" {
				return fmt.Errorf("-mode %s records tests and main packages only; name packages", o.Mode)
			} else if own && o.Overhead {
				return fmt.Errorf("-overhead measures tests and main packages only; name packages")
			}
			ctx, progress, stop, err := w.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			record := func() (*engine.Recorded, error) { return engine.Record(ctx, o, progress.update) }
			switch {
			case logs != "":
				record = func() (*engine.Recorded, error) { return engine.CollectRecordings(ctx, logs, progress.update) }
			case len(o.Patterns) == 0 && len(o.Args) > 0 && filepath.Base(o.Args[0]) == "go":
				record = func() (*engine.Recorded, error) { return engine.RecordCommand(ctx, o.Args, progress.update) }
			}
			rep, err := record()
			progress.close()
			if err = interrupted(ctx, err); err != nil {
				return err
			}
			if err := printRecordings(cmd.OutOrStdout(), rep, asJSON); err != nil {
				return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
			}
			return exit(recordedCode(rep))
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.Runs, "n", "n", engine.DefaultRecordedRuns, "runs of each target")
	f.StringVar(&o.Run, "run", "", "only tests that match, as in go test (TestX/sub too)")
	f.DurationVar(&o.Timeout, "limit", 0, "time of one run (0: a minute)")
	f.BoolVar(&o.UntilFailure, "until-failure", false, "go on to the next target once a run has failed")
	f.BoolVar(&o.Overhead, "overhead", false, "measure also what recording costs, in as many runs of the ordinary build as of the recording one (at most 20)")
	f.StringVar(&logs, "logs", "", "a folder with logs of programs that were built by hocket build -record")
	f.StringVar(&o.Mode, "mode", "order", "what is recorded: order (of synchronisation) or paths (outcomes of branches)")
	f.StringVar(&o.Machine, "machine", "", "a name for this machine, kept with runs of -mode paths")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	b.add(cmd)
	w.add(cmd)
	return cmd
}

// recordedCode is the exit code of a record.
func recordedCode(rep *engine.Recorded) int {
	if rep.Exit != nil && *rep.Exit != 0 {
		return *rep.Exit
	}
	code := exitNothing
	for _, t := range rep.Targets {
		switch {
		case t.Failed > 0:
			return exitFindings
		case t.Error != "":
			code = exitUsage
		}
	}
	if rep.Cut {
		return exitCut
	}
	return code
}

// shortRun is, in milliseconds, a run that mostly starts and ends.
const shortRun = 50

func printRecordings(w io.Writer, rep *engine.Recorded, asJSON bool) error {
	if asJSON {
		return encode(w, rep)
	}
	p := &printer{w: w}
	for _, t := range rep.Targets {
		name := strings.TrimSpace(t.Package + " " + t.Entry)
		switch {
		case t.Error != "" && t.Runs == 0:
			p.f("%s: %s\n", name, t.Error)
			continue
		case t.Runs == 0:
			p.f("%s: nothing was recorded\n", name)
			continue
		}
		p.f("%s: %s, %s, %d failed, log %s\n", name, words.Count(t.Runs, "run"), different(rep, t.Orders), t.Failed, size(t.LogBytes))
		if o := t.Overhead; o != nil {
			short := ""
			if o.PlainMS < shortRun {
				short = "; so short a run says little"
			}
			p.f("  processor time %.1f ms plainly, %.1f ms recorded: %+.0f %% (median of %s each, in turns%s)\n", o.PlainMS, o.RecordedMS, 100*(o.RecordedMS/max(o.PlainMS, 0.001)-1), words.Count(o.Runs, "run"), short)
		}
		for _, f := range t.Failures {
			p.f("  %d of %d: %s\n    run %s\n", f.Runs, t.Runs, f.Message, f.Run)
		}
		if t.Failed == t.Runs && t.Runs > 1 {
			if o := t.Overhead; o != nil && o.PlainFailed > 0 {
				p.f("  each run failed, and %d of %d of the ordinary build\n", o.PlainFailed, o.Runs)
			} else {
				p.f("  each run failed; if it passes without recording, the recording build may be the cause%s\n", differs(rep))
			}
		}
		if t.Error != "" {
			p.f("  %s\n", t.Error)
		}
	}
	if len(rep.Targets) > 1 {
		p.f("%s\n", recordedSum(rep))
	}
	if f := firstFailed(rep); f != "" && rep.Mode == "paths" {
		p.f("\nhocket find -from %s looks for an order for it and explains it (arguments of the program again after --); hocket traces show %[1]s lists where its goroutines went.\n", short(f))
	} else if f != "" {
		p.f("\nhocket find -from %s follows that run and explains it.\n", f)
	}
	if rep.Cut {
		p.f("interrupted before all was recorded.\n")
	}
	return p.err
}

// recordedSum counts what was recorded of several targets.
func recordedSum(rep *engine.Recorded) string {
	var runs, failed, failing, bad int
	for _, t := range rep.Targets {
		runs += t.Runs
		failed += t.Failed
		if t.Failed > 0 {
			failing++
		}
		if t.Error != "" {
			bad++
		}
	}
	s := fmt.Sprintf("%s of %s", words.Count(runs, "run"), words.Count(len(rep.Targets), "target"))
	switch {
	case failed > 0:
		s += fmt.Sprintf(": %d failed, in %s", failed, words.Count(failing, "target"))
	case runs > 0:
		s += ": none failed"
	}
	if bad > 0 {
		s += fmt.Sprintf("; %s with errors", words.Count(bad, "target"))
	}
	return s + "."
}

// differs says in what a recording build is not the ordinary one.
func differs(rep *engine.Recorded) string {
	if rep.Mode == "paths" {
		return ""
	}
	return ": sync types are larger there, and a Pool keeps more"
}

func different(rep *engine.Recorded, n int) string {
	if rep.Mode == "paths" {
		return words.CountOf(n, "different execution", "different executions")
	}
	return words.Count(n, "order")
}

func firstFailed(rep *report.Recorded) string {
	for _, r := range rep.Runs {
		if r.Outcome != "passed" {
			return r.ID
		}
	}
	return ""
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

func buildCommand() *cobra.Command {
	var recording, dumpable bool
	var out string
	var b buildFlags
	cmd := &cobra.Command{
		Use:   "build -record|-dumpable -o FILE [package]",
		Short: "Build a program that records its runs, or whose cores tell more",
		Long: `Build makes an ordinary program of a main package.

With -record it writes a log of each run into the folder that the variable
HOCKET_RECORD names when it starts; without it, the program only runs. hocket record
-logs keeps what is in the folder, and hocket find -from has such a run again. In a
program that records, random numbers of packages math/rand and of the runtime follow
from one number, which is in the log: who can read the log can know them.

With -dumpable it counts the rounds of its loops, as far as they call something or use
a channel, so that hocket dump can compare a core with a passing run in the same round.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.check(); err != nil {
				return err
			}
			switch {
			case recording == dumpable:
				return fmt.Errorf("hocket build needs one of -record and -dumpable: it makes programs that record, or whose cores tell more")
			case out == "":
				return fmt.Errorf("hocket build needs -o FILE: the program that it makes")
			}
			pattern := "."
			if len(args) > 0 {
				pattern = args[0]
			}
			if dumpable {
				return interrupted(cmd.Context(), engine.BuildCounting(cmd.Context(), "", pattern, out, b.flags))
			}
			return interrupted(cmd.Context(), engine.BuildRecording(cmd.Context(), pattern, out, b.flags))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&recording, "record", false, "the program records its runs")
	f.BoolVar(&dumpable, "dumpable", false, "the program counts the rounds of its loops")
	f.StringVarP(&out, "o", "o", "", "the file to write")
	b.add(cmd)
	return cmd
}
