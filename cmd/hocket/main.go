// Command hocket finds, replays and explains concurrency bugs of Go programs.
//
// This package reads flags, shows progress and prints answers. It knows
// nothing of how they are computed: it imports the engine façade, the words of
// answers (report) and the language server only.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// Exit codes: part of the contract with users.
const (
	exitNothing  = 0 // the planned search was completed, nothing found
	exitFindings = 1
	exitUsage    = 2 // usage or environment
	exitCut      = 3 // budget or interrupt before the planned search was completed
)

// exitError ends the program with a code; a nil cause prints nothing.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.cause.Error()
}

func (e *exitError) Unwrap() error { return e.cause }

// exit returns nil for code 0.
func exit(code int) error {
	if code == exitNothing {
		return nil
	}
	return &exitError{code: code}
}

func main() {
	setHome()
	engine.VetTool(os.Args[1:])
	engine.RecordTool(os.Args[1:])
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second Ctrl-C ends the program at once
	}()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(doubleDashes(root, args))
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitNothing
	}
	code, cause := exitUsage, err
	var ee *exitError
	if errors.As(interrupted(ctx, err), &ee) {
		code, cause = ee.code, ee.cause
	}
	if cause != nil {
		printError(stderr, cmd, strings.Join(strings.Fields(cause.Error()), " "))
	}
	return code
}

func rootCommand() *cobra.Command {
	versions := false
	root := &cobra.Command{
		Use:           "hocket",
		Short:         "Find, replay and explain concurrency bugs in Go programs",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(args[0])
			}
			if versions {
				return printVersions(cmd)
			}
			return cmd.Help()
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.Flags().BoolVar(&versions, "version", false, "print the versions of hocket, Go and Z3")
	root.AddCommand(findCommand(), fromCommand(), dumpCommand(), replayCommand(), explainCommand(), fixCommand(), listCommand(), breakCommand(), testCommand(), recordCommand(), buildCommand(),
		tracesCommand(), lspCommand(), vetCommand(), doctorCommand(), bugCommand(), versionCommand())
	root.SetHelpCommand(helpCommand(root))
	root.SetFlagErrorFunc(flagError)
	usageAsWritten(root)
	return root
}

// usageAsWritten keeps cobra from adding "[flags]" to usage lines that name
// their flags.
func usageAsWritten(cmd *cobra.Command) {
	cmd.DisableFlagsInUseLine = strings.Contains(cmd.Use, "[-") || strings.Contains(cmd.Use, "[flags]")
	for _, sub := range cmd.Commands() {
		usageAsWritten(sub)
	}
}

func unknownCommand(name string) error {
	return fmt.Errorf("unknown command %q; hocket -help lists the commands", name)
}
