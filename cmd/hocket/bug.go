package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

func bugCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bug",
		Short: "Print a bug report to fill in",
		Long: `Bug prints a report in markdown to fill in and to paste into a new issue at
https://github.com/hocket-dev/hocket/issues. Nothing is sent anywhere.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
     A finding: attach its two files of .hocket/findings. -->

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
		},
	}
}

func printChecks(p *printer, d *engine.Diagnosis) {
	for _, c := range d.Checks {
		p.f("%-7s %-9s %s\n", c.State, c.Name, c.Detail)
		if c.WayOut != "" {
			p.f("%17s -> %s\n", "", c.WayOut)
		}
	}
}
