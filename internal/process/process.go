// Package process starts the processes that Hocket needs: go commands, and the
// user's programs, which may hang, spin, and start others.
//
// Invariants:
//   - A process is the leader of a group of its own, and when it has ended,
//     been cancelled or been killed, so has the group: what it started itself
//     included, unless that left the group on purpose.
//   - In a context from Guard, the groups end too when this process is killed
//     in a way that leaves it no time (SIGKILL, a crash): at once on Linux, and
//     elsewhere as soon as the sentinel sees it (guard.go).
//   - Nobody but the caller waits: there is no goroutine here but the guard's,
//     which ends with it.
//   - This package knows nothing of what the processes do.
package process

import (
	"bytes"
	"context"
	"os/exec"
	"time"
)

// interruptDelay is how long a go command may take to remove its temporary
// files once it was interrupted.
const interruptDelay = 500 * time.Millisecond

// Command is a program that is killed with its group when ctx ends. Start it by
// the functions of this package only.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return killGroup(cmd) }
	return cmd
}

// Go is a go command. When ctx ends, it is interrupted with its compilers, as
// by Ctrl-C, so that it can clean up, and soon killed if it does not.
func Go(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return interruptGroup(cmd) }
	cmd.WaitDelay = interruptDelay
	return cmd
}

// Process is a started command.
type Process struct {
	cmd   *exec.Cmd
	guard *guard // nil if there is none
}

// Start starts the command in a group of its own.
func Start(ctx context.Context, cmd *exec.Cmd) (*Process, error) {
	setGroup(cmd)
	g := guardOf(ctx)
	if g == nil {
		return &Process{cmd: cmd}, cmd.Start()
	}
	return &Process{cmd: cmd, guard: g}, g.start(cmd)
}

// Wait waits for the process to end, as exec.Cmd.Wait does, and ends what is
// left of its group.
func (p *Process) Wait() error {
	err := p.cmd.Wait()
	p.Kill()
	if p.guard != nil {
		p.guard.ended(p.cmd.Process.Pid)
	}
	return err
}

// Kill kills the group. It may have ended meanwhile.
func (p *Process) Kill() { _ = killGroup(p.cmd) }

// Dump makes the Go runtime of the process write all its goroutines and end.
func (p *Process) Dump() { _ = dump(p.cmd) }

// Run starts the command and waits for it.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	p, err := Start(ctx, cmd)
	if err != nil {
		return err
	}
	return p.Wait()
}

// Output runs the command and returns what it wrote to its standard output.
func Output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := Run(ctx, cmd)
	return out.Bytes(), err
}

// CombinedOutput runs the command and returns all that it wrote.
func CombinedOutput(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := Run(ctx, cmd)
	return out.Bytes(), err
}
