package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

func vetCommand() *cobra.Command {
	var o engine.ConflictOptions
	var w watcher
	var asJSON, asSARIF, all, try bool
	var overlay string
	budget := engine.DefaultBudget
	cmd := &cobra.Command{
		Use:   "vet [flags] [packages]",
		Short: "List places that may conflict, from the sources alone",
		Long: `Vet reads the packages (default: .) with their tests, runs nothing, and lists
pairs of places that goroutines may reach at once and where their order may
matter, the most suspicious first, and lock orders that can deadlock. It prints
those that are likely bugs, one for each field or pair of locks; with -all the
others as well, and why they are less likely.
They are hints: the exit code is 0 however many there are. With -try the packages
are searched afterwards (hocket find), and a pair that a finding shows says so; the
others may be as true: no test led there. What a hint says can also be tried with
concurrent breakpoints (hocket break).

As an analysis tool of go vet: go vet -vettool=$(which hocket) ./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asSARIF {
				return fmt.Errorf("-json and -sarif can't be combined; choose one")
			}
			o.Patterns = args
			var err error
			if o.Overlay, err = overlayTexts(overlay); err != nil {
				return err
			}
			ctx, progress, stop, err := w.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			rep, err := engine.Conflicts(ctx, o)
			var tried *report.Report
			if err == nil && try {
				find := engine.FindOptions{Patterns: o.Patterns, Flags: o.Flags, Overlay: o.Overlay, Budget: budget}
				found, untried := engine.Find(ctx, find, progress.update)
				switch {
				case untried != nil: // the pairs are true without it
					rep.Errors = append(rep.Errors, "-try: "+words.OneLine(untried.Error()))
				default:
					tried = found
					engine.MarkSeen(rep, tried.Findings)
				}
			}
			progress.close()
			if err != nil {
				return orObject(cmd.OutOrStdout(), asJSON, interrupted(ctx, err), cutConflicts(o.Patterns, err))
			}
			if err := printConflicts(cmd.OutOrStdout(), cmd.ErrOrStderr(), rep, asJSON, asSARIF, all); err != nil {
				return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
			}
			if tried != nil && !asJSON && !asSARIF {
				fmt.Fprintln(cmd.OutOrStdout(), triedWords(rep, tried, ctx.Err() != nil))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print one JSON object, with all pairs")
	f.BoolVar(&asSARIF, "sarif", false, "print a SARIF 2.1.0 log, with all suspicious pairs")
	f.BoolVar(&all, "all", false, "print all pairs, the less likely ones with the reason")
	f.BoolVar(&try, "try", false, "search the packages, and say which pairs findings show")
	f.DurationVar(&budget, "budget", budget, "of -try: time for the search")
	f.StringVar(&o.Flags.Tags, "tags", "", "build tags, as in go vet")
	f.StringVar(&o.Flags.Mod, "mod", "", "module mode, as in go vet")
	f.StringVar(&overlay, "overlay", "", "JSON file that replaces source files, as in go vet")
	w.add(cmd)
	return cmd
}

// triedWords say what a search showed of the pairs.
func triedWords(rep *engine.ConflictReport, tried *report.Report, interrupted bool) string {
	seen, runs, clean, cut := 0, 0, 0, 0
	told := map[string]bool{}
	for _, p := range rep.Pairs {
		if len(p.Seen) > 0 {
			seen++
		}
		for _, id := range p.Seen {
			told[id] = true
		}
	}
	for _, t := range tried.Targets {
		runs += t.Runs
		switch t.Status {
		case report.Clean:
			clean++
		case report.CutShort, report.NotReached:
			cut++
		}
	}
	text := fmt.Sprintf("tried in %s of %s", words.Count(runs, "run"), words.Count(len(tried.Targets), "target"))
	if clean > 0 {
		text += fmt.Sprintf(", %d of them proved clean", clean)
	}
	if cut > 0 {
		text += fmt.Sprintf(", %d of them cut short or not reached", cut)
	}
	text += fmt.Sprintf(": findings show %d of %s", seen, words.Count(len(rep.Pairs), "pair"))
	for _, f := range tried.Findings {
		if !told[f.ID] {
			text += "; no pair tells of hocket explain " + f.ID
		}
	}
	if interrupted {
		text += "; the search was interrupted"
	}
	return text + "."
}

// cutConflicts is the report of an analysis that was interrupted.
func cutConflicts(patterns []string, err error) *engine.ConflictReport {
	return &engine.ConflictReport{Version: 1, Package: strings.Join(patterns, " "), Pairs: []engine.ConflictPair{}, Cycles: []engine.ConflictCycle{}, Errors: []string{words.OneLine(err.Error())}}
}

// overlayTexts reads the texts of an overlay file.
func overlayTexts(file string) (map[string]string, error) {
	b := buildFlags{overlay: file}
	files, err := b.overlaid()
	if err != nil {
		return nil, err
	}
	return engine.OverlayTexts(files)
}

func printConflicts(w, stderr io.Writer, rep *engine.ConflictReport, asJSON, asSARIF, all bool) error {
	if rep.Cut != nil {
		fmt.Fprintln(stderr, "hocket: "+rep.Cut.Words())
	}
	switch {
	case asJSON:
		return encode(w, rep)
	case asSARIF:
		return encode(w, sarifOf(rep))
	}
	p := &printer{w: w}
	shown, left := rep.Suspicious()
	if all {
		shown, left = rep.Pairs, 0
	}
	for _, pair := range shown {
		printPair(p, pair)
	}
	for _, e := range rep.Errors {
		fmt.Fprintln(stderr, "hocket: "+e)
	}
	where := ""
	if len(rep.Errors) > 0 {
		where = " in what could be analyzed"
	}
	switch {
	case len(rep.Pairs) == 0:
		p.f("no conflicts found%s.\n", where)
	case len(shown) == 0:
		p.f("no conflicts that are likely%s; -all shows %s.\n", where, words.Count(left, "less likely one"))
	case left > 0:
		p.f("%s, less likely or of the same cause, left out; -all shows them.\n", words.Count(left, "more pair"))
	}
	return p.err
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printPair prints a pair on one line, as go vet does.
func printPair(p *printer, pair engine.ConflictPair) {
	s := pair.Sides[0]
	seen := ""
	if len(pair.Seen) > 0 {
		seen = "; a search has shown it: hocket explain " + pair.Seen[0]
	}
	p.f("%s:%d:%d: %s%s\n", s.File, s.Line, s.Column, sentence(pair), seen)
}

func sentence(pair engine.ConflictPair) string {
	return pair.Sentence(func(name string) string { return name })
}
