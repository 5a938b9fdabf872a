package main

import (
	"encoding/json"
	"errors"
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

func replayCommand() *cobra.Command {
	var o engine.ReplayOptions
	var debug bool
	cmd := &cobra.Command{
		Use:   "replay [-n 1] [-level controlled|pinned|native] ID",
		Short: "Run the program again under a finding's schedule",
		Long: `Replay runs the program under the schedule of a finding and shows its own
output. It exits with 1 if the failure was seen, with 0 if not.`,
		Args: oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if debug {
				return errors.New("-debug is not built yet; hocket explain shows the switches")
			}
			o.ID = args[0]
			o.Output = cmd.OutOrStdout()
			p := newProgress(cmd.ErrOrStderr())
			res, err := engine.Replay(cmd.Context(), o, p.update)
			p.close()
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			fmt.Fprintf(w, "%s: failed %s at level %s: %s\n", res.ID, res.Count, res.Level, res.Message)
			if res.Note != "" {
				fmt.Fprintln(w, res.Note)
			}
			if res.Count.Failed == 0 {
				return exit(exitNothing)
			}
			return exit(exitFindings)
		},
	}
	cmd.Flags().IntVarP(&o.Runs, "n", "n", 1, "how often")
	cmd.Flags().StringVar(&o.Level, "level", "controlled", "controlled, pinned or native")
	cmd.Flags().BoolVar(&debug, "debug", false, "stop in Delve at each switch (not built yet)")
	return cmd
}

func explainCommand() *cobra.Command {
	var o engine.ExplainOptions
	cmd := &cobra.Command{
		Use:   "explain [-format text|markdown|json] ID",
		Short: "Say what differs between a finding's failing run and the nearest passing one",
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
			return nil
		},
	}
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what works here, and how to get what does not",
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
				for _, c := range d.Checks {
					fmt.Fprintf(w, "%-7s %-9s %s\n", c.State, c.Name, c.Detail)
					if c.WayOut != "" {
						fmt.Fprintf(w, "%17s -> %s\n", "", c.WayOut)
					}
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
