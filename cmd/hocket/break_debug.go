package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// debugBreaks runs a program with its concurrent breakpoints in Delve: on this
// terminal, or for an editor that speaks the Debug Adapter Protocol. how is the
// value of -debug.
func debugBreaks(cmd *cobra.Command, how string, opt engine.BreakDebugOptions) error {
	return errors.New("break run -debug is not built yet")
}
