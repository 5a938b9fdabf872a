package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// watcher is how the caller of a long command follows and ends it.
type watcher struct {
	format   string // of progress: "text" or "json"
	lines    bool   // no bar, on terminals too
	stdinEOF bool
}

func (w *watcher) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.format, progressFlag, "text", "progress on stderr: text, or json: an object on each line")
	f.BoolVar(&w.stdinEOF, "stdin-eof", false, "end, as by Ctrl-C, when stdin is closed")
	f.Lookup("stdin-eof").Hidden = true
}

const progressFlag = "progress"

// start returns the context of the work and where its progress goes; stop must
// be called when the work has ended.
func (w *watcher) start(cmd *cobra.Command) (ctx context.Context, r reporter, stop func(), err error) {
	switch w.format {
	case "text":
		to := cmd.ErrOrStderr()
		if w.lines {
			to = struct{ io.Writer }{to} // a terminal no longer
		}
		r = newProgress(to)
	case "json":
		r = newJSONProgress(cmd.ErrOrStderr())
	default:
		return nil, nil, nil, fmt.Errorf("invalid -progress %q: use text or json", w.format)
	}
	ctx, stop = cmd.Context(), func() {}
	if w.stdinEOF {
		ctx, stop = untilAbandoned(ctx, cmd.InOrStdin())
	}
	return ctx, r, stop, nil
}

// untilAbandoned is a context that ends when whoever started this process is
// gone: stdin has ended, or nobody reads what is printed. Programs under
// control are then ended and removed as by Ctrl-C.
func untilAbandoned(ctx context.Context, stdin io.Reader) (context.Context, func()) {
	// Otherwise a write to a closed stderr would end this process at once. It
	// stays so until the command has printed its result, so stop leaves it as it is.
	ctx, _ = signal.NotifyContext(ctx, syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	// Lives until stdin or this process ends: a read of stdin can't be
	// interrupted.
	go func() {
		io.Copy(io.Discard, stdin)
		cancel()
	}()
	return ctx, cancel
}

// interrupted gives an error that came from the end of ctx the exit code and
// the words of an interrupt, and one that came from the end of the budget that
// code.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return &exitError{exitCut, errors.New("interrupted")}
	}
	if errors.Is(err, engine.ErrBudget) {
		return &exitError{exitCut, err}
	}
	return err
}

// reporter shows progress.
type reporter interface {
	update(engine.Update)
	close()
}

// note is an update that only says something.
func note(r reporter, text string) { r.update(engine.Update{Message: text, Left: -1}) }
