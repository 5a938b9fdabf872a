package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// oneID is the argument check of commands that take a finding.
func oneID(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return fmt.Errorf("hocket %s needs the id of one finding; hocket list shows them", cmd.Name())
}

func explainCommand() *cobra.Command {
	var o engine.ExplainOptions
	cmd := &cobra.Command{
		Use:   "explain [-format text|markdown|steps|json|svg|html|dot] ID",
		Short: "Explain what differs between a finding's failing run and the nearest passing one",
		Args:  oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID = args[0]
			text, note, err := engine.Explain(cmd.Context(), o)
			if err != nil {
				return err
			}
			if note != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: "+note)
			}
			if o.Format == "text" {
				text = styleOf(cmd.OutOrStdout(), sourcesHere(nil)).link(text)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().StringVar(&o.Format, "format", "text", "text, markdown, steps, json, svg, html or dot")
	return cmd
}

func listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [-json]",
		Short: "List the findings of this module",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, bad, err := engine.List(cmd.Context(), "")
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			for _, e := range bad {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: "+e.Error())
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), listOf(found, bad))
			}
			p := &printer{w: cmd.OutOrStdout(), style: styleOf(cmd.OutOrStdout(), sourcesHere(nil))}
			for _, f := range found {
				p.f("%s  %s %s: %s%s\n", p.paint(bold, f.ID), f.Package, f.Entry, f.Headline(), since(f))
			}
			if len(found) == 0 && len(bad) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: no findings in this module yet; hocket find ./... searches it")
			}
			return p.err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, with the findings as find -json has them")
	return cmd
}

// since says what became of a finding.
func since(f engine.Listed) string {
	switch f.Outcome {
	case engine.Fixed:
		return ", fixed: a later search ended without it"
	case engine.Outdated:
		return ", outdated: it did not fail again, on other sources or another build"
	}
	if len(f.Changed) > 0 {
		return ", not run since " + strings.Join(f.Changed, ", ") + " changed"
	}
	return ""
}

// findingList is the JSON of a list: names are a contract with users.
type findingList struct {
	Version  int             `json:"version"`
	Findings []engine.Listed `json:"findings"` // newest first
	// Warnings name files that can't be read.
	Warnings []string `json:"warnings,omitempty"`
}

func listOf(found []engine.Listed, bad []error) findingList {
	l := findingList{Version: report.Version, Findings: append([]engine.Listed{}, found...)}
	for _, e := range bad {
		l.Warnings = append(l.Warnings, words.OneLine(e.Error()))
	}
	return l
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the environment: what works, and how to get what does not",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := engine.Doctor(cmd.Context(), "")
			w := cmd.OutOrStdout()
			if asJSON {
				if err := printJSON(w, d); err != nil {
					return err
				}
			} else {
				p := &printer{w: w}
				if printChecks(p, d); p.err != nil {
					return p.err
				}
			}
			if !d.OK {
				return exit(exitUsage)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of hocket, Go and Z3",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersions(cmd) },
	}
}

func printVersions(cmd *cobra.Command) error {
	v := engine.Versions(cmd.Context(), "")
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "hocket %s (built with %s, %s/%s)\ngo %s\nz3 %s\n",
		v.Hocket, runtime.Version(), runtime.GOOS, runtime.GOARCH, v.Go, v.Z3)
	return err
}
