package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
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
		Use:   "explain [-format text|markdown|json] ID",
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
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().StringVar(&o.Format, "format", "text", "text, markdown or json")
	return cmd
}

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the findings of this module",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, bad, err := engine.List(cmd.Context(), "")
			if err != nil {
				return err
			}
			for _, e := range bad {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: "+e.Error())
			}
			for _, f := range found {
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s %s: %s\n", f.ID, f.Package, f.Entry, f.Headline())
			}
			if len(found) == 0 && len(bad) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: no findings in this module yet; hocket find ./... searches it")
			}
			return nil
		},
	}
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
				enc := json.NewEncoder(w)
				enc.SetIndent("", "  ")
				if err := enc.Encode(d); err != nil {
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := engine.Versions(cmd.Context(), "")
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "hocket %s (built with %s, %s/%s)\ngo %s\nz3 %s\n",
				v.Hocket, runtime.Version(), runtime.GOOS, runtime.GOARCH, v.Go, v.Z3)
			return err
		},
	}
}
