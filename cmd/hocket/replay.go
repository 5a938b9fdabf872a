package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

func replayCommand() *cobra.Command {
	var o engine.ReplayOptions
	var w watcher
	var asJSON bool
	var debug, without string
	var at int
	cmd := &cobra.Command{
		Use:   "replay [-n 1] [-level controlled|pinned|native] [-debug [-at N]] [-without switch:N|order:N] ID",
		Short: "Run the program again under a finding's schedule",
		Long: `Replay runs the program under the schedule of a finding and shows its own
output. It exits with 1 if the failure was seen, with 0 if not, with 3 if it was
interrupted before it was seen. Where the program
was edited since, a run without the failure does not show that it is fixed: the
schedule may lead elsewhere. hocket find searches again.

-without asks "what if": a switch of the schedule, or an order that suffices for
the failure, is left out, and -n runs (20) that lack it are counted; the exit code is
3 if no such run could be made. The numbers are those of hocket explain -format steps.`,
		Args: oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at < 0 || at > 0 && debug == "" {
				return &exitError{exitUsage, fmt.Errorf("-at %d: must be the number of a step, with -debug", at)}
			}
			if debug != "" {
				return debugReplay(cmd, debug, args[0], at)
			}
			if without != "" {
				return whatIf(cmd, &w, without, args[0], &o, asJSON)
			}
			ctx, progress, stop, err := w.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			o.ID = args[0]
			var output strings.Builder
			o.Output = cmd.OutOrStdout()
			if asJSON {
				o.Output = &output
			}
			res, err := engine.Replay(ctx, o, progress.update)
			progress.close()
			cut := ctx.Err() != nil
			if cut && asJSON && res == nil { // who reads objects gets one
				err, res = nil, &engine.Replayed{ID: o.ID, Level: o.Level, Note: "interrupted before the first run"}
			}
			if err != nil {
				return interrupted(ctx, err)
			}
			if err := printReplayed(cmd.OutOrStdout(), res, asJSON, output.String()); err != nil {
				return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
			}
			switch {
			case res.Count.Failed > 0:
				return exit(exitFindings)
			case cut:
				return exit(exitCut)
			}
			return exit(exitNothing)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.Runs, "n", "n", 1, "number of runs")
	f.StringVar(&o.Level, "level", "controlled", "controlled, pinned or native")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	f.StringVar(&debug, "debug", "", "stop in Delve at each switch; =dap serves an editor on stdin and stdout, =HOST:PORT one that connects there")
	f.Lookup("debug").NoOptDefVal = debugTerminal
	f.StringVar(&without, "without", "", "leave out a switch or an order, and count failures: switch:N or order:N")
	f.IntVar(&at, "at", 0, "with -debug: the step of hocket explain -format steps to begin at")
	w.add(cmd)
	return cmd
}

// replayed is the JSON of an answer: names are a contract with users.
type replayed struct {
	ID       string `json:"id"`
	Level    string `json:"level"`
	Message  string `json:"message"`
	Runs     int    `json:"runs"`
	Failed   int    `json:"failed"`
	Outcome  string `json:"outcome"` // "fails", "passes", "outdated" or "fixed"; "" if no run was made
	Note     string `json:"note"`
	Outdated string `json:"outdated"` // what changed since it was found, "" if nothing
	Output   string `json:"output"`   // of the program, in the last run
}

func printReplayed(w io.Writer, r *engine.Replayed, asJSON bool, output string) error {
	if asJSON {
		return printJSON(w, replayed{r.ID, r.Level, r.Message, r.Count.Runs, r.Count.Failed, string(r.Outcome), r.Note, r.Outdated, output})
	}
	p := &printer{w: w, style: styleOf(w, sourcesHere(nil))}
	p.f("%s: failed %s at level %s: %s\n", r.ID, r.Count, r.Level, r.Message)
	if r.Note != "" {
		p.f("%s\n", r.Note)
	}
	if r.Outcome == engine.Outdated {
		p.f("%s\n", r.Outdated)
	}
	return p.err
}
