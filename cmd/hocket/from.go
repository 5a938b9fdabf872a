package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// mostArtefact bounds what is read of an artefact, in bytes.
const mostArtefact = 256 << 20

func fromCommand() *cobra.Command {
	var o engine.FromOptions
	var b buildFlags
	var w watcher
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "from [flags] file|- [packages] [-- program arguments]",
		Short: "Search for the state that a panic, dump, race report or log tells of",
		Long: `From reads what is left of a failure - the output of a panic, fatal error or test
time-out, a goroutine dump or profile, a race report, a log with one of these
inside, an execution trace, a core dump - and searches the test or program that it comes from
for a schedule that leads to the same state. What it finds is a finding as those
of find. Without packages it searches what the stacks begin with.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.check(); err != nil {
				return err
			}
			own, program := splitArgs(cmd, args)
			if len(own) == 0 {
				return errors.New("from needs a file, or - for the standard input: hocket from crash.txt ./...")
			}
			o.Patterns, o.Args, o.Flags = own[1:], program, b.flags
			switch core, err := engine.IsCore(own[0]); {
			case err != nil:
				return err
			case core:
				o.File, o.Core = own[0], own[0]
			case o.Exe != "":
				return fmt.Errorf("-exe names the executable of a core, and %s is none", own[0])
			default:
				if o.File, o.Data, err = artefact(cmd, own[0]); err != nil {
					return err
				}
			}
			return searchState(cmd, &o, &b, &w, asJSON)
		},
	}
	stateFlags(cmd, &o, &b, &w, &asJSON)
	cmd.Flags().IntVar(&o.Nth, "nth", 0, "which of several failures that the file tells of, from 1 (0: the first that is whole)")
	return cmd
}

// stateFlags are those of commands that search for a state.
func stateFlags(cmd *cobra.Command, o *engine.FromOptions, b *buildFlags, w *watcher, asJSON *bool) {
	f := cmd.Flags()
	f.DurationVar(&o.Budget, "budget", engine.DefaultBudget, "time for the whole command")
	f.BoolVar(&o.FreeBuild, "free-build", false, "don't count the first build of a Go version's standard library, which takes a minute or more, in -budget")
	f.StringVar(&o.Run, "run", "", "only tests that match, as in go test (TestX/sub too), in place of those that the stacks begin with")
	f.IntVar(&o.Schedules, "schedules", engine.DefaultSchedules, "schedules to try per target; 0 is the default")
	f.StringVar(&o.Exe, "exe", "", "the executable that a core is of (\"\": the one that the core names)")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the search: another one tries other schedules, equal ones the same")
	f.BoolVar(asJSON, "json", false, "print one JSON object")
	f.BoolVar(&o.Redact, "redact", false, "of a core: show which variables differ from a passing run, not their values")
	b.add(cmd)
	w.add(cmd)
}

// searchState searches for the state of an artefact, and prints what it found.
func searchState(cmd *cobra.Command, o *engine.FromOptions, b *buildFlags, w *watcher, asJSON bool) error {
	if cmd.Flags().Changed("budget") && o.Budget <= 0 {
		return fmt.Errorf("-budget %v: must be positive", o.Budget)
	}
	var err error
	if o.Overlay, err = b.overlaid(); err != nil {
		return err
	}
	ctx, progress, stop, err := w.start(cmd)
	if err != nil {
		return err
	}
	defer stop()
	b.ignored(progress)
	a, err := engine.From(ctx, *o, progress.update)
	progress.close()
	if err = interrupted(ctx, err); err != nil {
		return orObject(cmd.OutOrStdout(), asJSON, err, cutReport(o.Patterns, err))
	}
	if asJSON {
		err = printJSON(cmd.OutOrStdout(), a)
	} else {
		out := screenOf(cmd.OutOrStdout(), o.Overlay)
		out.verbose, out.interrupted = b.verbose, ctx.Err() != nil
		out.sought(a.From)
		err = printReport(out, &a.Report, false)
		out.compared(a.From.Core)
		out.cameNear(a.From)
	}
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
	}
	return exit(exitCode(&a.Report))
}

// artefact reads the file, or the standard input for "-".
func artefact(cmd *cobra.Command, name string) (shown string, data []byte, err error) {
	in := cmd.InOrStdin()
	if shown = name; name == "-" {
		shown = "the standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return "", nil, fmt.Errorf("read the artefact: %w; name a file, or - for the standard input", err)
		}
		defer f.Close()
		in = f
	}
	data, err = io.ReadAll(io.LimitReader(in, mostArtefact+1))
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("read %s: %w", shown, err)
	case len(data) > mostArtefact:
		return "", nil, fmt.Errorf("read %s: it has more than %d MB; cut out the part with the failure", shown, mostArtefact>>20)
	}
	return shown, data, nil
}

// sought prints what is looked for.
func (s screen) sought(f *engine.Sought) {
	what := f.Kind
	if f.Message != "" {
		what += ": " + f.Message
	}
	s.f("%s: %s\n", f.File, s.paint(bold, what))
	if f.States > 1 {
		s.f("    %d of %d failures in it; -nth takes another one\n", f.Nth, f.States)
	}
	s.f("    searched: %s\n", f.Entry)
	for i, g := range f.Goroutines {
		if i == mostShown {
			s.f("    and %d more kinds of goroutines\n", len(f.Goroutines)-i)
			break
		}
		where := fmt.Sprintf("%s:%d", g.File, g.Line)
		if g.Line == 0 {
			where = g.File + ", line not known today"
		}
		note := ""
		if !g.Compared {
			note = ", not compared"
		}
		s.f("    %d in %s (%s): %s%s\n", g.Count, g.Func, where, cmp.Or(g.Reason, "waiting"), note)
	}
	for _, a := range f.Race {
		s.f("    %s in %s (%s:%d)\n", a.Op, a.Func, a.File, a.Line)
	}
	for _, n := range f.Notes {
		s.f("    note: %s\n", n)
	}
	s.f("\n")
}

const mostShown = 16 // kinds of goroutines

// cameNear prints how near the search came if it did not reach the state.
func (s screen) cameNear(f *engine.Sought) {
	switch {
	case f.Reached:
	case f.Always:
		s.f("Every run fails as in %s: that is no question of the order.\n", f.File)
	case f.Nearest != nil && f.Nearest.Whole:
		s.f("Runs showed the state, and it is not reported: -v says why.\n")
	case f.Nearest != nil:
		s.f("The state was not reached. The nearest run: %s.\n", f.Nearest.Words)
	default:
		s.f("The state was not reached, and no run came near.\n")
	}
}
