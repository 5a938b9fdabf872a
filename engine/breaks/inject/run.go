package inject

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/internal/process"
)

const (
	dumpTime = 3 * time.Second // for writing the stacks of a program that hangs
)

// Result is what one process did.
type Result struct {
	Exit    int
	Output  string // stdout and stderr
	Hung    bool   // ended by its timeout; Output ends with all goroutines
	Took    time.Duration
	CPU     time.Duration // user and system time of the program, and of children that it waited for
	Report  breakpoints.Report
	Failure string // one line; "" if it did not fail
	// Left names the processes outside its group that the program left behind
	// and that held its output. They were killed, unless StillHeld.
	Left      []string
	StillHeld bool // some process that can't be found still holds the output

	state string // of the end, in the system's words
}

// Limits is how long a run may take.
type Limits struct {
	Hard time.Duration
	// Quiet is how long it may take when, at the end, nothing has happened at
	// its breakpoints for a while: pauses that end by timeout add up. 0 is
	// Hard.
	Quiet time.Duration
}

// Run runs the program once, with breakpoints or without. report is the name of
// a file that does not exist.
func (p *Program) Run(ctx context.Context, args []string, limits Limits, plain bool, report string) (*Result, error) {
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
	out, err := newOutput(cmd)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	proc, err := process.Start(ctx, cmd)
	if err != nil {
		out.end(&Result{})
		return nil, fmt.Errorf("start the program: %w", err)
	}
	r := &Result{}
	err = supervise(ctx, proc, limits, report, r)
	r.Took = time.Since(start)
	if s := cmd.ProcessState; s != nil {
		r.CPU = s.UserTime() + s.SystemTime()
	}
	out.end(r)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.Exit, r.state = exit.ExitCode(), exit.String()
	} else if err != nil {
		return nil, fmt.Errorf("run the program: %w", err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !plain {
		if r.Report, err = breakpoints.ReadReport(report); err != nil {
			return nil, err
		}
	}
	r.Failure = failure(r)
	return r, nil
}

// supervise waits for the process to end. One that takes too long is asked for
// its goroutines, then killed.
func supervise(ctx context.Context, proc *process.Process, limits Limits, report string, r *Result) error {
	done := make(chan error, 1)
	go func() { done <- proc.Wait() }()
	ended, err := waitUntil(ctx, done, limits, report)
	if ended {
		return err
	}
	if ctx.Err() == nil {
		r.Hung = true
		proc.Dump()
		if ended, err := waitUntil(ctx, done, Limits{Hard: dumpTime}, ""); ended {
			return err
		}
	}
	proc.Kill()
	return <-done
}

// quietFor is how long nothing must have happened at the breakpoints of a
// program that is past its Quiet limit. It is longer than pauses are.
const quietFor = 2 * time.Second

// waitUntil waits for the end of a process, but no longer than the limits and
// the context allow.
func waitUntil(ctx context.Context, done <-chan error, limits Limits, report string) (ended bool, err error) {
	start, tick := time.Now(), time.NewTicker(quietFor/4)
	defer tick.Stop()
	hard := time.NewTimer(limits.Hard)
	defer hard.Stop()
	var last []byte
	changed := start
	for {
		select {
		case err := <-done:
			return true, err
		case <-ctx.Done():
			return false, nil
		case <-hard.C:
			return false, nil
		case now := <-tick.C:
			if limits.Quiet == 0 || now.Sub(start) < limits.Quiet-quietFor {
				continue
			}
			if data, _ := os.ReadFile(report); !bytes.Equal(data, last) { // absent: no points yet
				last, changed = data, now
			}
			if now.Sub(start) >= limits.Quiet && now.Sub(changed) >= quietFor {
				return false, nil
			}
		}
	}
}
