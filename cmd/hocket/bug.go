package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/bug"
)

func bugCommand() *cobra.Command {
	var clear bool
	cmd := &cobra.Command{
		Use:   "bug [-clear]",
		Short: "Print a bug report to fill in",
		Long: `Bug prints a report in markdown to fill in and to paste into a new issue at
https://github.com/hocket-dev/hocket/issues. It includes the internal errors that
hocket has recorded on this machine: they hold no text of your programs. Nothing
is sent anywhere.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if clear {
				return bug.Clear()
			}
			recorded, err := bug.List()
			if err != nil { // the others are printed
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: "+strings.Join(strings.Fields(err.Error()), " "))
			}
			return printBugReport(cmd, recorded)
		},
	}
	cmd.Flags().BoolVar(&clear, "clear", false, "remove the recorded internal errors")
	return cmd
}

func printBugReport(cmd *cobra.Command, recorded []bug.Report) error {
	ctx := cmd.Context()
	v := engine.Versions(ctx, "")
	p := &printer{w: cmd.OutOrStdout()}
	p.f(`### What did you do?

<!-- The command, or the editor (with its version) and what you clicked. A small program, if you can. -->

### What did you expect?

### What happened instead?

### Log

<!-- Editor: start the server as "hocket lsp -logfile FILE -rpc.trace", do it again, attach FILE.
     The log holds the text of the files that you opened: look through it first.
     Command line: the command with "-progress json 2>FILE", attach FILE.
     A finding: attach the files of .hocket/findings whose names start with its id. -->
`)
	printRecorded(p, recorded)
	p.f(`
### Environment

- hocket %s, built with %s for %s/%s
- z3 %s
`, v.Hocket, runtime.Version(), runtime.GOOS, runtime.GOARCH, v.Z3)
	for _, f := range engine.GoFacts(ctx, "") {
		p.f("- %s\n", f)
	}
	p.f("\n<details><summary>hocket doctor</summary>\n\n```\n")
	printChecks(p, engine.Doctor(ctx, ""))
	p.f("```\n\n</details>\n")
	return p.err
}

// printRecorded prints the internal errors that hocket has recorded, newest first.
func printRecorded(p *printer, recorded []bug.Report) {
	if len(recorded) == 0 {
		return
	}
	p.f("\n### Internal errors\n\n<!-- Recorded by hocket; \"hocket bug -clear\" removes them. -->\n")
	for _, r := range recorded {
		p.f("\n```\n%s  hocket %s, %s, %s\n%s\n", r.Time.UTC().Format(time.RFC3339), r.Hocket, r.Go, r.Platform, r.Message)
		for _, frame := range r.Stack {
			p.f("    %s\n", frame)
		}
		p.f("```\n")
	}
}

func printChecks(p *printer, d *engine.Diagnosis) {
	for _, c := range d.Checks {
		p.f("%-7s %-9s %s\n", c.State, c.Name, c.Detail)
		if c.Remedy != "" {
			p.f("%17s -> %s\n", "", c.Remedy)
		}
	}
}
