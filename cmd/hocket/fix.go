package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
)

func fixCommand() *cobra.Command {
	var o engine.FixOptions
	var w watcher
	var asJSON, apply, all bool
	var n int
	var overlay string
	cmd := &cobra.Command{
		Use:   "fix [-apply] [-n K] [-all] [-json] [-budget 60s] ID",
		Short: "Look for edits that fix a finding, and try them",
		Long: `Fix proposes edits that take the cause of a finding away, and tries each: the program
with it must compile and pass, a search under control must find no failure, and must
have found it without the edit (docs/fixing.md says what verified means). It prints
those that hold, as diffs; with -all those that do not hold, too, and why.

With -apply it writes the first one into your files, or, with -n, the one of that
number. Nothing else is ever written. It exits with 0 if there is a verified fix, with 1
if there is none, with 3 if the time ended before one was found.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				for i, a := range args {
					if n, err := strconv.Atoi(a); err == nil && n > 0 && len(a) < 3 {
						return fmt.Errorf("the number of a fix comes after -n: hocket fix -n %d %s", n, args[1-i])
					}
				}
			}
			return oneID(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, progress, stop, err := w.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			o.ID = args[0]
			if overlay != "" {
				if apply {
					return errors.New("-apply writes files, and the fix would be of the texts of -overlay; save them first")
				}
				if o.Overlay, err = engine.ReadOverlay(overlay); err != nil {
					return err
				}
			}
			if n < 1 && cmd.Flags().Changed("n") {
				return fmt.Errorf("-n %d: fixes are numbered from 1", n)
			}
			o.Enough = max(n, o.Enough)
			a, err := engine.Fix(ctx, o, progress.update)
			progress.close()
			if err != nil {
				return interrupted(ctx, err)
			}
			if n > len(a.Fixes) {
				return noSuchFix(a, n)
			}
			if apply {
				return applyFix(cmd, a, n, asJSON)
			}
			if err := printFixes(cmd, a, n, all, asJSON); err != nil {
				return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
			}
			switch {
			case a.Verified() > 0:
				return exit(exitNothing)
			case a.Cut:
				return exit(exitCut)
			}
			return exit(exitFindings)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&apply, "apply", false, "write the fix into the files")
	f.IntVarP(&n, "n", "n", 0, "the fix of this number, from 1")
	f.BoolVar(&all, "all", false, "show what does not hold, too")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	f.BoolVar(&o.Fresh, "fresh", false, "try again what was tried before")
	f.StringVar(&overlay, "overlay", "", "JSON file that replaces source files, as in go build")
	f.DurationVar(&o.Budget, "budget", engine.DefaultFixBudget, "time for all of it")
	w.add(cmd)
	return cmd
}

// noSuchFix says what there is in place of the fix of a number.
func noSuchFix(a *engine.FixAnswer, n int) error {
	if a.Reason != "" {
		return &exitError{exitCut, fmt.Errorf("finding %s has no fix %d so far: %s", a.ID, n, a.Reason)}
	}
	if len(a.Fixes) == 0 {
		return fmt.Errorf("-n %d: finding %s has no fixes; hocket fix %s says why", n, a.ID, a.ID)
	}
	return fmt.Errorf("-n %d: finding %s has no fix %d, the last is %d; hocket fix -all %s lists them", n, a.ID, n, len(a.Fixes), a.ID)
}

// applyFix writes the fix of a number, or the first verified one.
func applyFix(cmd *cobra.Command, a *engine.FixAnswer, n int, asJSON bool) error {
	if n == 0 && a.Verified() == 0 {
		if a.Reason != "" {
			return &exitError{exitCut, fmt.Errorf("finding %s has no verified fix so far: %s", a.ID, a.Reason)}
		}
		return fmt.Errorf("finding %s has no verified fix; hocket fix -all %s shows what was tried, -n applies one of them", a.ID, a.ID)
	}
	n = max(n, 1)
	f := &a.Fixes[n-1]
	if err := a.Apply(f); err != nil {
		return err
	}
	if asJSON {
		a.Applied = n
		return printJSON(cmd.OutOrStdout(), a)
	}
	p := &printer{w: cmd.OutOrStdout()}
	p.f("applied: %s\n%s\n", f.Title, verdictOf(f))
	p.caveats("", f)
	return p.err
}

// caveats are what else is to be known of a fix.
func (p *printer) caveats(indent string, f *engine.FixVerdict) {
	if f.Order != "" {
		p.f("%s%s\n", indent, f.Order)
	}
	for _, t := range f.Tells {
		p.f("%s%s\n", indent, t)
	}
	if f.Verified != "" && f.Before > 0 {
		p.f("%splain runs are slower with it: %s, %s before, the medians of ten\n", indent, shortTime(f.After), shortTime(f.Before))
	}
}

// verdictOf says in a line how a fix was verified.
func verdictOf(f *engine.FixVerdict) string {
	switch f.Verified {
	case "proved":
		return fmt.Sprintf("verified: proved, every schedule is covered; %s", words.CountOf(f.Schedules, "run was made", "runs were made"))
	case "searched":
		return fmt.Sprintf("verified: searched, no failure in %d schedules", f.Schedules)
	}
	return "verified: no, " + f.Reason
}

func printFixes(cmd *cobra.Command, a *engine.FixAnswer, n int, all, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return printJSON(out, a)
	}
	p := &printer{w: out}
	if a.Note != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "hocket: "+a.Note)
	}
	for i := range a.Fixes {
		f := &a.Fixes[i]
		if n > 0 && n != i+1 || n == 0 && f.Verified == "" && !all {
			continue
		}
		p.f("%d. %s\n   %s\n", i+1, f.Title, verdictOf(f))
		p.caveats("   ", f)
		if f.Dependency != "" {
			p.f("   this is a patch for the authors of %s\n", f.Dependency)
		}
		p.f("\n%s\n", f.Diff)
	}
	if all {
		for _, r := range a.Refused {
			p.f("not tried: %s: %s\n", r.Title, r.Why)
		}
	}
	if n > 0 {
		return p.err
	}
	if a.Verified() > 0 {
		p.f("hocket fix -apply %s writes fix 1 into your files.\n", a.ID)
	} else {
		so := ""
		if a.Reason != "" {
			so = " so far"
		}
		about := ""
		if a.Message != "" {
			about = " (" + a.Message + ")"
		}
		p.f("No verified fix%s for %s%s.\n", so, a.ID, about)
	}
	if a.Reason != "" {
		p.f("%s.\n", strings.ToUpper(a.Reason[:1])+a.Reason[1:])
	}
	switch {
	case a.Verified() == 0 && !all:
		p.tried(a)
	case len(a.Fixes)+len(a.Refused) == 0:
		p.noEdit(a)
	}
	return p.err
}

// noEdit says that there was nothing to try, unless it was not looked for to the end.
func (p *printer) noEdit(a *engine.FixAnswer) {
	if a.Reason == "" {
		p.f("No edit is known for this cause.\n")
	}
}

// tried lists what did not hold, and what was not tried, without the edits.
func (p *printer) tried(a *engine.FixAnswer) {
	if len(a.Fixes)+len(a.Refused) == 0 {
		p.noEdit(a)
		return
	}
	for i := range a.Fixes {
		p.f("  %s\n    %s\n", a.Fixes[i].Title, a.Fixes[i].Reason)
	}
	for _, r := range a.Refused {
		p.f("  %s\n    not tried: %s\n", r.Title, r.Why)
	}
	if len(a.Fixes) > 0 {
		p.f("hocket fix -all %s shows the edits.\n", a.ID)
	}
}

func shortTime(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond).String()
}
