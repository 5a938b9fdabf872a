package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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
			if n < 0 {
				return fmt.Errorf("-n %d: fixes are numbered from 1", n)
			}
			if n > 0 {
				o.Enough = max(n, o.Enough)
			}
			a, err := engine.Fix(ctx, o, progress.update)
			progress.close()
			if err != nil {
				return interrupted(ctx, err)
			}
			if apply {
				return applyFix(cmd, a, n)
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

// applyFix writes the fix of a number, or the first verified one.
func applyFix(cmd *cobra.Command, a *engine.FixAnswer, n int) error {
	switch {
	case n > len(a.Fixes):
		return fmt.Errorf("finding %s has no fix %d; hocket fix -all %s lists them", a.ID, n, a.ID)
	case n == 0 && a.Verified() == 0:
		return fmt.Errorf("finding %s has no verified fix; hocket fix -all %s shows what was tried, -n applies one of them", a.ID, a.ID)
	}
	f := &a.Fixes[max(n, 1)-1]
	if err := a.Apply(f); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "applied: %s\n%s\n", f.Title, verdictOf(f))
	return err
}

// verdictOf says in a line how a fix was verified.
func verdictOf(f *engine.FixVerdict) string {
	switch f.Verified {
	case "proved":
		return fmt.Sprintf("verified: proved, %s cover all there are", words.Count(f.Schedules, "schedule"))
	case "searched":
		return fmt.Sprintf("verified: searched, no failure in %d schedules", f.Schedules)
	}
	return "verified: no, " + f.Reason
}

func printFixes(cmd *cobra.Command, a *engine.FixAnswer, n int, all, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(a)
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
		if f.Order != "" {
			p.f("   %s\n", f.Order)
		}
		for _, t := range f.Tells {
			p.f("   %s\n", t)
		}
		if f.Verified != "" && f.Before > 0 {
			p.f("   a plain run takes %s, %s before\n", shortTime(f.After), shortTime(f.Before))
		}
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
	switch {
	case a.Verified() > 0 && n == 0:
		p.f("hocket fix -apply %s writes fix 1 into your files.\n", a.ID)
	case n > len(a.Fixes) && a.Verified() > 0:
		p.f("There is no fix %d for %s, but %s.\n", n, a.ID, words.Count(a.Verified(), "verified one"))
	case a.Verified() == 0 && (n == 0 || n > len(a.Fixes)):
		p.f("No verified fix for %s (%s).\n", a.ID, a.Message)
		if a.Cut {
			p.f("Not all was tried before the end; -budget gives more time.\n")
		}
		if !all {
			p.tried(a)
		}
	}
	return p.err
}

// tried lists what did not hold, and what was not tried, without the edits.
func (p *printer) tried(a *engine.FixAnswer) {
	if len(a.Fixes)+len(a.Refused) == 0 {
		p.f("No edit is known for this cause.\n")
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
