// Package lsp serves the Language Server Protocol on two byte streams, which is
// how `hocket lsp` serves editors.
//
//	protocol      frames, messages, their order; positions (imports go.lsp.dev)
//	files         open documents as immutable snapshots
//	server        the session: one file for each feature
//	jobs          finds and replays, as child processes, one at a time
//	present       findings and texts → what is shown, as plain data
//	breakview     concurrent breakpoints in the texts that the editor shows
//	conflictview  static conflicts in those texts
//	anchor        where the lines of an earlier text are in today's
//	lsptest       a client for tests that shares no code with the server
//	marker        tests of features, written as commented Go files
package lsp

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/hocket-dev/hocket/lsp/protocol"
	"github.com/hocket-dev/hocket/lsp/server"
)

// ErrNoShutdown is returned by Serve when the client went away without asking
// for the end; the exit code is 1 then.
var ErrNoShutdown = server.ErrNoShutdown

// Options of Serve.
type Options struct {
	In  io.Reader // closed by Serve if it is an io.Closer
	Out io.Writer // nothing else may write to it; closed if it is an io.Closer and blocks at the end

	Log     *slog.Logger // nil: nothing is logged
	Trace   io.Writer    // every message, a line each; nil: none
	Version string       // of hocket
	Command []string     // how to start hocket for a job; empty: this program
}

// Serve serves one session. It returns when the client ends it, its stream
// ends, or ctx does, within a second, and leaves nothing running.
func Serve(ctx context.Context, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		o.Command = []string{self}
	}
	trace := protocol.NewTrace(o.Trace)
	conn := protocol.NewConn(o.In, o.Out, o.Log, trace)
	return server.New(conn, server.Options{Version: o.Version, Command: o.Command, Log: o.Log, Trace: trace}).Run(ctx)
}
