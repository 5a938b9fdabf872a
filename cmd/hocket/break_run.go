package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func breakRunCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "run [flags] [packages] [-- program arguments]",
		RunE: func(*cobra.Command, []string) error { return errors.New("hocket break run is not built yet") },
	}
}
