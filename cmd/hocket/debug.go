package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/dap"
)

// Values of -debug; anything else is an address to listen on.
const (
	debugTerminal = "terminal"
	debugDAP      = "dap"
)

// debugger is where Delve is, if there is such a way to debug.
func debugger(how string) (delve string, err error) {
	if how != debugTerminal && how != debugDAP && !strings.Contains(how, ":") {
		return "", fmt.Errorf("invalid -debug=%s: use -debug, -debug=%s for an editor on stdin and stdout, or -debug=HOST:PORT", how, debugDAP)
	}
	return engine.Delve()
}

// debugReplay runs the program of a finding in Delve: on this terminal, or for
// an editor that speaks the Debug Adapter Protocol.
func debugReplay(cmd *cobra.Command, how, id string, step int) error {
	delve, err := debugger(how)
	if err != nil {
		return err
	}
	prepare := func(ctx context.Context, progress engine.Progress) (*engine.Debuggee, error) {
		return engine.PrepareDebug(ctx, engine.DebugOptions{ID: id, Step: step}, progress)
	}
	if how != debugTerminal {
		return serveDAP(cmd, how, dap.Options{Delve: delve, Prepare: prepare})
	}
	p := newProgress(cmd.ErrOrStderr())
	d, err := prepare(cmd.Context(), p.update)
	p.close()
	if err != nil {
		return interrupted(cmd.Context(), err)
	}
	defer d.Close()
	return debugInTerminal(cmd, delve, terminalProgram{program: d.Program, dir: d.Dir, args: d.Args, env: d.Env,
		greeting: greeting(d), script: func(string) (string, error) { return delveScript(d), nil }})
}

func serveDAP(cmd *cobra.Command, how string, opt dap.Options) error {
	ctx := cmd.Context()
	if how == debugDAP {
		return interrupted(ctx, dap.Serve(ctx, cmd.InOrStdin(), cmd.OutOrStdout(), opt))
	}
	l, err := net.Listen("tcp", how)
	if err != nil {
		return fmt.Errorf("-debug=%s: %w", how, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "hocket: waiting for an editor at %s\n", l.Addr())
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	conn, err := l.Accept()
	l.Close() // one session
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return interrupted(ctx, err)
	}
	defer conn.Close()
	return interrupted(ctx, dap.Serve(ctx, conn, conn, opt))
}

// terminalProgram is a program and the commands that Delve's terminal starts with.
type terminalProgram struct {
	program, dir string
	args, env    []string
	greeting     string
	// script gives the commands; other files that they need go into dir.
	script func(dir string) (string, error)
}

// debugInTerminal gives the terminal to Delve, and Ctrl-C with it: it stops the
// program, not the debugger.
func debugInTerminal(cmd *cobra.Command, delve string, d terminalProgram) error {
	dir, err := os.MkdirTemp("", "hocket-debug-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	commands, err := d.script(dir)
	if err != nil {
		return err
	}
	script := filepath.Join(dir, "init")
	if err := os.WriteFile(script, []byte(commands), 0o600); err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), d.greeting)
	c := exec.Command(delve, append([]string{"exec", "--allow-non-terminal-interactive", "--check-go-version=false",
		"--init", script, d.program, "--"}, d.args...)...)
	c.Dir = d.dir
	c.Env = append(os.Environ(), d.env...)
	c.Stdin, c.Stdout, c.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(ended)
	if err := c.Start(); err != nil {
		return fmt.Errorf("start %s: %w", delve, err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case <-done: // how it ended is up to the user
	case <-ended:
		_ = c.Process.Signal(syscall.SIGTERM)
		<-done
	}
	return nil
}

// delveScript sets the stops and goes to the first one.
func delveScript(d *engine.Debuggee) string {
	var b strings.Builder
	for _, bp := range d.Breakpoints() {
		name := breakpointName(d, bp)
		where := fmt.Sprintf("%s:%d", bp.File, bp.Line)
		if bp.Address != 0 {
			where = fmt.Sprintf("*%#x", bp.Address)
		}
		fmt.Fprintf(&b, "break %s %s\ncondition %s %s\ncondition -hitcount %s %s\n",
			name, where, name, bp.Condition, name, bp.HitCondition())
	}
	if d.End != nil {
		fmt.Fprintf(&b, "break failure %s\n", d.End.Func)
		if d.End.Condition != "" {
			fmt.Fprintf(&b, "condition failure %s\n", d.End.Condition)
		}
	}
	fmt.Fprintln(&b, "continue")
	return b.String()
}

// breakpointName says which stops a breakpoint serves: "stop2and5".
func breakpointName(d *engine.Debuggee, b engine.DebugBreakpoint) string {
	var names []string
	for _, i := range b.Stops {
		names = append(names, stopName(i, d.Stops[i].Failure))
	}
	return strings.ReplaceAll(strings.Join(names, "and"), "andstop", "and")
}

func stopName(i int, failure bool) string {
	if failure {
		return "failure"
	}
	return fmt.Sprintf("stop%d", i+1)
}

// greeting lists the stops and the commands of Delve that are needed most.
func greeting(d *engine.Debuggee) string {
	var b strings.Builder
	p := &printer{w: &b}
	p.f("%s: %s\n", d.ID, d.Message)
	if d.Note != "" {
		p.f("%s\n", d.Note)
	}
	p.f("\nThe run stops before these lines, each time:\n")
	for i, s := range d.Stops {
		p.f("  %-8s %s:%d  %s\n", stopName(i, s.Failure), filepath.Base(s.File), s.Line, s.What)
	}
	if d.End != nil {
		p.f("  %-8s %s; goroutines -with user -t shows where\n", "failure", d.End.What)
	}
	p.f("\ncontinue goes to the next stop, next and step stay in one goroutine (others run when the schedule says so),\n" +
		"locals, args and print show variables, goroutines and stack who is where, restart begins again, exit ends.\n\n")
	return b.String()
}
