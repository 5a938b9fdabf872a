package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

func testCommand() *cobra.Command {
	var o engine.ReproductionOptions
	cmd := &cobra.Command{
		Use:   "test [-standalone] ID",
		Short: "Print a Go test that reproduces a finding by concurrent breakpoints",
		Long: `Test prints a Go test file for the finding's package. Run with plain go test,
it fails as the finding says; on a fixed program it passes and says why.`,
		Args: oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID = args[0]
			p := newProgress(cmd.ErrOrStderr())
			text, err := engine.ReproductionTest(cmd.Context(), o, p.update)
			p.close()
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().BoolVar(&o.Standalone, "standalone", false, "print a file that imports only the standard library")
	return cmd
}
