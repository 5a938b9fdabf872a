package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
)

func breakRunCommand() *cobra.Command {
	var o engine.RunBreaksOptions
	var b buildFlags
	var w watcher
	var asJSON bool
	var debug, ids string
	cmd := &cobra.Command{
		Use:   "run [flags] [package] [-- program arguments]",
		Short: "Run a program with its concurrent breakpoints, again and again",
		Long: `Run builds the ordinary program of a package (default: .) with the module's
concurrent breakpoints and runs it: the main function of a main package, or the
tests, all as go test would or those that -run selects. Runs without breakpoints
are made between the others, for comparison. It exits with 1 if a run with
breakpoints failed, with 0 if none did.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			race := b.race
			b.race = false // of the ordinary program it is allowed
			if err := b.check(); err != nil {
				return err
			}
			o.Patterns, o.Args = splitArgs(cmd, args)
			o.Flags, o.Race = b.flags, race
			o.IDs = strings.FieldsFunc(ids, func(r rune) bool { return r == ',' || r == ' ' })
			var err error
			if o.Overlay, err = b.overlaid(); err != nil {
				return err
			}
			if debug != "" {
				for _, name := range []string{"n", "plain", "json"} {
					if cmd.Flags().Changed(name) {
						return fmt.Errorf("-%s and -debug can't be combined: a debugger runs the program once", name)
					}
				}
				return debugBreaks(cmd, debug, engine.BreakDebugOptions{Patterns: o.Patterns, Run: o.Run, Args: o.Args, Flags: o.Flags, IDs: o.IDs, Overlay: o.Overlay})
			}
			if cmd.Flags().Changed("n") && o.N <= 0 {
				return fmt.Errorf("-n %d: must be positive", o.N)
			}
			if cmd.Flags().Changed("plain") && o.Plain < 0 {
				return fmt.Errorf("-plain %d: must not be negative", o.Plain)
			}
			ctx, progress, stop, err := w.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			res, err := engine.RunBreaks(ctx, o, progress.update)
			progress.close()
			if err != nil {
				return orObject(cmd.OutOrStdout(), asJSON, interrupted(ctx, err), cutBreakRun(o, err))
			}
			if err := printBreakRun(cmd.OutOrStdout(), res, asJSON); err != nil {
				return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
			}
			switch {
			case res.Cut:
				return &exitError{exitCut, errors.New("interrupted")}
			case res.Failed > 0:
				return exit(exitFindings)
			}
			return exit(exitNothing)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.N, "n", "n", 100, "runs with breakpoints")
	f.IntVar(&o.Plain, "plain", -1, "runs without breakpoints, between the others (default: as many, 20 at most; 0: none)")
	f.StringVar(&o.Run, "run", "", "only tests that match, as in go test")
	f.StringVar(&ids, "id", "", "breakpoints to use, such as b1,b3 (default: all that are not off)")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	f.StringVar(&debug, "debug", "", "stop in Delve where the sides meet; =dap serves an editor on stdin and stdout, =HOST:PORT one that connects there")
	f.Lookup("debug").NoOptDefVal = debugTerminal
	f.Lookup("plain").DefValue = "0" // the words say it
	f.DurationVar(&o.Timeout, "timeout", 0, "for one run, after which it counts as hung (default: a minute, less for quick programs)")
	b.addRun(cmd)
	w.add(cmd)
	return cmd
}

// addRun adds the flags of go test that change how the ordinary program is
// built.
func (b *buildFlags) addRun(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.flags.Tags, "tags", "", "build tags, as in go test")
	f.StringVar(&b.flags.Ldflags, "ldflags", "", "linker flags, as in go test")
	f.StringVar(&b.flags.Mod, "mod", "", "module mode, as in go test")
	f.BoolVar(&b.flags.Short, "short", false, "tests run with -short")
	f.BoolVar(&b.race, "race", false, "build with the race detector, as in go test")
	f.StringVar(&b.overlay, "overlay", "", "JSON file that replaces source files, as in go test")
	f.BoolVar(&b.cover, "cover", false, "refused: -cover ignores build overlays")
	f.StringVar(&b.modfile, "modfile", "", "refused: hocket needs it for itself")
	f.Lookup("cover").Hidden, f.Lookup("modfile").Hidden = true, true
}

// cutBreakRun is the answer of runs that were interrupted before the first.
func cutBreakRun(o engine.RunBreaksOptions, err error) *engine.BreakRun {
	r := &engine.BreakRun{Package: cmp.Or(strings.Join(o.Patterns, " "), "."), Failures: []engine.BreakFailure{},
		Breakpoints: []engine.BreakStat{}, Notes: []string{"cut short before the first run: " + words.OneLine(err.Error())}, Cut: true}
	r.Plain.Failures = r.Failures
	return r
}

func printBreakRun(w io.Writer, r *engine.BreakRun, asJSON bool) error {
	if asJSON {
		return printJSON(w, r)
	}
	p := &printer{w: w}
	p.f("%s: %s, hit in %d, failed %d\n", strings.TrimSpace(r.Package+" "+r.Entry), words.Count(r.Runs, "run"), r.Hits, r.Failed)
	for _, f := range r.Failures {
		p.f("  %4d × %s\n", f.Count, f.Message)
	}
	if r.Plain.Runs > 0 {
		p.f("without breakpoints: %s, failed %d\n", words.Count(r.Plain.Runs, "run"), r.Plain.Failed)
		for _, f := range r.Plain.Failures {
			p.f("  %4d × %s\n", f.Count, f.Message)
		}
		p.f("a run takes %.1f ms with breakpoints, %.1f ms without\n", r.MS, r.Plain.MS)
	} else {
		p.f("a run takes %.1f ms\n", r.MS)
	}
	for _, b := range r.Breakpoints {
		if b.Outside == "" {
			printBreakStat(p, b, r.Runs)
		}
	}
	printOutside(p, r.Breakpoints)
	for _, n := range r.Notes {
		p.f("%s\n", n)
	}
	return p.err
}

func printBreakStat(p *printer, b engine.BreakStat, runs int) {
	if b.Lost != "" {
		p.f("\n%s  left out: %s\n", b.ID, b.Lost)
		return
	}
	what := "hit"
	if b.Schedule {
		what = "played"
	}
	p.f("\n%s  %s in %d of %s\n", b.ID, what, b.Hit, words.Count(runs, "run"))
	width := 20
	for _, s := range b.Sides {
		width = max(width, len(s.Place))
	}
	for i, s := range b.Sides {
		p.f("    side %d  %-*s %s", i+1, width, s.Place, reached(s.Reached))
		if !b.Schedule {
			p.f(", waited %d, timed out %d, released early %d", s.Postponed, s.TimedOut, s.Released)
		}
		p.f("\n")
	}
	for _, n := range b.Notes {
		p.f("    %s\n", n)
	}
}

// reached words a lower bound.
func reached(n int) string {
	if n == 0 {
		return "not reached"
	}
	return fmt.Sprintf("reached at least %d", n)
}

// printOutside prints one line for all breakpoints that the program is built
// without: a module has those of all its programs.
func printOutside(p *printer, all []engine.BreakStat) {
	const most = 3
	var ids, why []string
	for _, b := range all {
		if b.Outside == "" {
			continue
		}
		ids = append(ids, b.ID)
		if !slices.Contains(why, b.Outside) {
			why = append(why, b.Outside)
		}
	}
	if len(ids) == 0 {
		return
	}
	if len(why) > most {
		why = append(why[:most], "...")
	}
	p.f("\nnot in this program: %s (%s)\n", strings.Join(ids, ", "), strings.Join(why, "; "))
}
