package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp"
)

func lspCommand() *cobra.Command {
	var logfile string
	var trace, stdio bool
	cmd := &cobra.Command{
		Use:   "lsp [-logfile FILE] [-rpc.trace]",
		Short: "Serve editors by the Language Server Protocol on stdin and stdout",
		Long: `Lsp is started by editors. Stdout belongs to the protocol; errors, and the trace
without -logfile, go to stderr. It ends when the editor asks for it or closes stdin.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, closeLog, err := openLog(logfile, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer closeLog()
			o := lsp.Options{In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Version: engine.Version(),
				Log: slog.New(slog.NewTextHandler(log, nil))}
			if trace {
				o.Trace = log
			}
			return ended(cmd.Context(), lsp.Serve(cmd.Context(), o))
		},
	}
	f := cmd.Flags()
	f.StringVar(&logfile, "logfile", "", "append the log to this file")
	f.BoolVar(&trace, "rpc.trace", false, "log every message")
	f.BoolVar(&stdio, "stdio", false, "use stdin and stdout, which is the only way")
	f.Lookup("stdio").Hidden = true // what some editors append
	return cmd
}

// openLog opens the place for log lines; it is only ever written to by whole
// lines.
func openLog(name string, stderr io.Writer) (w io.Writer, closing func(), err error) {
	if name == "" {
		return stderr, func() {}, nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("-logfile: %w; name a file in a folder that exists", err)
	}
	return f, func() { f.Close() }, nil
}

// ended gives the end of a session its exit code, as the protocol has it: 0
// after a shutdown, else 1.
func ended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return &exitError{code: exitUnasked}
	}
	return &exitError{exitUnasked, err}
}

// exitUnasked ends a session that the client did not end.
const exitUnasked = 1
