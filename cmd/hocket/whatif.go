package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// whatIf is hocket replay -without: it counts how often the program fails without a
// switch or an order of a finding.
func whatIf(cmd *cobra.Command, w *watcher, without, id string, r *engine.ReplayOptions, asJSON bool) error {
	o := engine.WhatIfOptions{ID: id}
	if cmd.Flags().Changed("n") {
		if o.Runs = r.Runs; o.Runs < 1 {
			return &exitError{exitUsage, fmt.Errorf("-n %d: must be positive", o.Runs)}
		}
	}
	if r.Level != "controlled" {
		return &exitError{exitUsage, fmt.Errorf("-without can't be combined with -level %s: schedules are played on the controlled build only", r.Level)}
	}
	what, number, _ := strings.Cut(without, ":")
	n, err := strconv.Atoi(number)
	switch {
	case err == nil && n > 0 && what == "switch":
		o.Switch = n
	case err == nil && n > 0 && what == "order":
		o.Order = n
	default:
		return &exitError{exitUsage, fmt.Errorf("-without %s: must be switch:N or order:N; hocket explain -format steps %s shows the numbers", without, id)}
	}
	ctx, progress, stop, err := w.start(cmd)
	if err != nil {
		return err
	}
	defer stop()
	a, err := engine.WhatIf(ctx, o, progress.update)
	progress.close()
	if err != nil {
		return interrupted(ctx, err)
	}
	if err := printWhatIf(cmd, a, asJSON); err != nil {
		return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
	}
	return exit(whatIfCode(a, ctx.Err() != nil))
}

// whatIfCode is the exit code of an answer: without a run nothing is known.
func whatIfCode(a *engine.WhatIfAnswer, cut bool) int {
	switch {
	case a.Failed > 0:
		return exitFindings
	case cut || a.Runs == 0:
		return exitCut
	}
	return exitNothing
}

func printWhatIf(cmd *cobra.Command, a *engine.WhatIfAnswer, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), a)
	}
	p := &printer{w: cmd.OutOrStdout()}
	p.f("%s: %s\n", a.ID, a.Line())
	if a.Note != "" {
		p.f("%s\n", a.Note)
	}
	return p.err
}
