package breaks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/child"
)

const (
	dumpTime  = 3 * time.Second // for writing the stacks of a program that hangs
	maxOutput = 1 << 20         // bytes of a run's output that are kept
)

// Result is what one process did.
type Result struct {
	Exit    int
	Output  string // stdout and stderr
	Hung    bool   // ended by its time-out; Output ends with all goroutines
	Took    time.Duration
	Report  breakpoints.Report
	Failure string // one line; "" if it did not fail
}

// Run starts the program once, with breakpoints or without, and sees it
// through. report is the name of a file that does not exist.
func (p *Program) Run(ctx context.Context, args []string, timeout time.Duration, plain bool, report string) (*Result, error) {
	bin := p.Bin
	if plain {
		bin = p.Plain
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = p.Target.Dir
	cmd.Env = p.Target.Environ("GOTRACEBACK=all")
	if !plain {
		cmd.Env = append(cmd.Env, breakpoints.EnvBreaks+"="+breakpoints.FormatDefinitions(p.Definitions), breakpoints.EnvReport+"="+report)
		defer os.Remove(report)
	}
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = dumpTime // a grandchild may keep the output open
	start := time.Now()
	proc, err := child.Start(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("start the program: %w", err)
	}
	r := &Result{}
	err = attend(ctx, proc, timeout, r)
	r.Took = time.Since(start)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.Exit = exit.ExitCode()
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("run the program: %w", err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.Output = out.String()
	if !plain {
		if r.Report, err = breakpoints.ReadReport(report); err != nil {
			return nil, err
		}
	}
	r.Failure = failure(r)
	return r, nil
}

// attend waits for the process to end. One that takes too long is asked for
// its goroutines, then killed.
func attend(ctx context.Context, proc *child.Process, timeout time.Duration, r *Result) error {
	done := make(chan error, 1)
	go func() { done <- proc.Wait() }()
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	case <-limit.C:
		r.Hung = true
		proc.Dump()
		late := time.NewTimer(dumpTime)
		defer late.Stop()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
		case <-late.C:
		}
	}
	proc.Kill()
	return <-done
}

// tail keeps the first and the last half of a long output.
type tail struct {
	head, end []byte
	cut       bool
}

func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	if room := maxOutput/2 - len(t.head); room > 0 {
		k := min(room, len(b))
		t.head, b = append(t.head, b[:k]...), b[k:]
	}
	t.end = append(t.end, b...)
	if over := len(t.end) - maxOutput/2; over > maxOutput/4 {
		t.end, t.cut = append([]byte(nil), t.end[over:]...), true
	}
	return n, nil
}

func (t *tail) String() string {
	if t.cut {
		return string(t.head) + "\n[...]\n" + string(t.end)
	}
	return string(t.head) + string(t.end)
}
