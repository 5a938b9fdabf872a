package main

import "github.com/spf13/cobra"

func breakCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "break", Short: "Concurrent breakpoints: places at which goroutines meet"}
	cmd.AddCommand(breakRunCommand())
	return cmd
}
