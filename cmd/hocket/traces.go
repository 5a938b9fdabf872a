package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
)

func tracesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "traces",
		Short: "The recorded runs of this module: list, show, merge, export, prune",
		Long: `Recorded runs are in one database in the module's .hocket folder. Goroutines that
start at the same place share what their paths have in common, so that many runs take
little room. Databases of many machines are brought together by files: traces export
there, traces merge here.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command \"traces %s\"; the commands are ls, show, merge, export and gc", args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(tracesListCommand(), tracesShowCommand(), tracesMergeCommand(), tracesExportCommand(), tracesPruneCommand())
	return cmd
}

func tracesListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls [-json]",
		Short: "List the programs with recorded runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := engine.Traces("").List(cmd.Context())
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), l)
			}
			for _, w := range l.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: "+w)
			}
			if len(l.Programs)+len(l.Files) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: no recorded runs in this module yet; hocket record records some, hocket traces merge FILE adds those of exported files")
				return nil
			}
			p := &printer{w: cmd.OutOrStdout(), style: styleOf(cmd.OutOrStdout(), nil)}
			for _, g := range l.Programs {
				printProgram(p, g)
			}
			if l.Database != "" {
				p.f("%s, %s\n", l.Database, size(l.Bytes))
			}
			for _, f := range l.Files {
				p.f("%s %s: %s in .hocket/runs (%d failed), last %s of %s\n", f.Package, f.Entry, words.Count(f.Runs, "file"), f.Failed, f.LastID, moment(f.Last))
			}
			return p.err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printProgram(p *printer, g engine.TraceProgram) {
	failed := ""
	if g.Failed > 0 {
		failed = fmt.Sprintf(" (%d failed)", g.Failed)
	}
	p.f("%s %s: %s%s, %d distinct", p.paint(bold, g.Package), g.Entry, words.Count(g.Runs, "run"), failed, g.Distinct)
	if g.Torn > 0 {
		p.f(", %d without their end", g.Torn)
	}
	p.f("\n    %s, %s %s/%s, program %s, last %s", g.Mode, g.Go, g.OS, g.Arch, short(g.Content), moment(g.Last))
	if len(g.Machines) > 0 {
		p.f(", from %s", someOf(g.Machines, 3))
	}
	p.f("\n")
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "at an unknown time"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func short(id string) string { return id[:min(len(id), 12)] }

// someOf lists the first of some names.
func someOf(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(names[:n], ", "), len(names)-n)
}

func tracesShowCommand() *cobra.Command {
	var asJSON bool
	var steps int
	cmd := &cobra.Command{
		Use:   "show [-json] [-steps N] RUN",
		Short: "Show one recorded run: an id, the beginning of one, or last",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return errors.New("hocket traces show needs the id of one run, or last")
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if steps < 0 {
				return fmt.Errorf("-steps %d: must not be negative", steps)
			}
			r, err := engine.Traces("").Show(cmd.Context(), args[0])
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			p := &printer{w: cmd.OutOrStdout(), style: styleOf(cmd.OutOrStdout(), sourcesHere(nil))}
			printTrace(p, r, steps)
			return p.err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, with all steps")
	cmd.Flags().IntVar(&steps, "steps", 8, "how many of the last steps of each goroutine to print")
	return cmd
}

func printTrace(p *printer, r *engine.TraceRun, steps int) {
	p.f("%s  %s %s: %s", p.paint(bold, short(r.ID)), r.Package, r.Entry, r.Outcome)
	if r.Failure != "" {
		p.f(": %s", words.OneLine(r.Failure))
	}
	p.f("\n    %s, %s %s/%s, program %s, seed %d, %s", r.Mode, r.Go, r.OS, r.Arch, short(r.Content), r.Seed, moment(r.Time))
	if r.Machine != "" {
		p.f(", from %s", r.Machine)
	}
	if r.Torn {
		p.f("\n    the end of the run is missing")
	}
	p.f("\n")
	for _, t := range r.Threads {
		p.f("  %s", t.Name)
		if t.Site != "" {
			p.f(" (%s)", t.Site)
		}
		p.f(": %s; %d of %d recorded paths from there are the same\n", words.Count(len(t.Tokens), "step"), t.Same, t.Paths)
		last := t.Steps[max(0, len(t.Steps)-steps):]
		for _, s := range last {
			p.f("      %s branch %d of %s: %v\n", s.Line, s.Index+1, s.Func, s.Taken)
		}
	}
}

func tracesMergeCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge [-json] [FILE...]",
		Short: "Add the runs of files to the database; a run that is there already counts once",
		Long: `Merge adds the runs of files: what traces export wrote, the traces.db of another
checkout, or runs of hocket record (.hkrun). Without files, those of .hocket/runs.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := engine.Traces("").Merge(cmd.Context(), args)
			if m == nil {
				return interrupted(cmd.Context(), err)
			}
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), m); err != nil {
					return err
				}
				return interrupted(cmd.Context(), err)
			}
			p := &printer{w: cmd.OutOrStdout(), style: styleOf(cmd.OutOrStdout(), nil)}
			told := "" // by the error
			if err != nil {
				told = err.Error()
			}
			for _, f := range m.Files {
				if f.Error == "" {
					p.f("%s: %s, %d new\n", f.File, words.Count(f.Runs, "run"), f.New)
				} else if !strings.Contains(told, f.Error) {
					fmt.Fprintf(cmd.ErrOrStderr(), "hocket: %s\n", words.OneLine(f.Error))
				}
			}
			if len(m.Files) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: nothing to merge: there are no files in .hocket/runs, and none is named")
			}
			if err == nil {
				err = p.err
			}
			return interrupted(cmd.Context(), err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func tracesExportCommand() *cobra.Command {
	var f engine.TraceFilter
	var out string
	var since time.Duration
	cmd := &cobra.Command{
		Use:   "export [flags] -o FILE",
		Short: "Write recorded runs to a file, for traces merge elsewhere",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return errors.New("hocket traces export needs -o FILE (- for stdout)")
			}
			if since < 0 {
				return fmt.Errorf("-since %s: must not be negative", since)
			}
			if since > 0 {
				f.Since = time.Now().Add(-since)
			}
			n, err := engine.Traces("").Export(cmd.Context(), out, f, cmd.OutOrStdout())
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "hocket: %s exported\n", words.Count(n, "run"))
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&out, "o", "", "the file; - is stdout")
	fl.StringVar(&f.Package, "package", "", "only runs of this package (import path)")
	fl.StringVar(&f.Entry, "entry", "", "only runs of this test, or main")
	fl.BoolVar(&f.Failed, "failed", false, "only runs that failed")
	fl.DurationVar(&since, "since", 0, "only runs recorded so long ago or later, such as 24h")
	return cmd
}

func tracesPruneCommand() *cobra.Command {
	var o engine.TracesGC
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "gc [flags]",
		Short: "Drop recorded runs, and give room back",
		Long: `Gc drops the runs that the flags name and writes what stays to a new file, which
takes the place of the old one. Without flags all runs stay: only room that is not
used any more is given back.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.Older < 0:
				return fmt.Errorf("-older %s: must not be negative", o.Older)
			case o.Keep < 0:
				return fmt.Errorf("-keep %d: must not be negative", o.Keep)
			case o.Programs < 0:
				return fmt.Errorf("-programs %d: must not be negative", o.Programs)
			}
			pruned, err := engine.Traces("").Prune(cmd.Context(), o)
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), pruned)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s dropped, %d left; %s, was %s\n", words.Count(pruned.Dropped, "run"), pruned.Runs, size(pruned.Bytes), size(pruned.Before))
			return err
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Older, "older", 0, "drop runs recorded longer ago, such as 720h; 0: none")
	f.IntVar(&o.Keep, "keep", 0, "keep so many passing runs of each program, the last ones, and all that failed; 0: all")
	f.IntVar(&o.Programs, "programs", 0, "keep so many programs of each package and test, those recorded last; 0: all")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
