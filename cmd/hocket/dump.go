package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

func dumpCommand() *cobra.Command {
	var o engine.FromOptions
	var b buildFlags
	var w watcher
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dump [flags] core [packages] [-- program arguments]",
		Short: "Search for the failure that left a core dump",
		Long: `Dump reads a core of a Go program - of a panic, a fatal error, a deadlock, SIGQUIT or
SIGSEGV, left with GOTRACEBACK=crash - with the executable that made it, and searches
the program for a schedule that leads to the same state.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.check(); err != nil {
				return err
			}
			own, program := splitArgs(cmd, args)
			if len(own) == 0 {
				return errors.New("dump needs a core: hocket dump core ./cmd/server -- its arguments")
			}
			if _, err := os.Stat(own[0]); err != nil {
				return fmt.Errorf("read the core: %w", err)
			}
			if core, err := engine.IsCore(own[0]); err != nil {
				return err
			} else if !core {
				return fmt.Errorf("%s is no core dump; hocket from reads other artefacts of a failure", own[0])
			}
			o.File, o.Core, o.Patterns, o.Args, o.Flags = own[0], own[0], own[1:], program, b.flags
			return searchState(cmd, &o, &b, &w, asJSON)
		},
	}
	stateFlags(cmd, &o, &b, &w, &asJSON)
	return cmd
}
