package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/internal/process"
)

// ErrNotReached means that a run ended before the point where it was to stand still.
var ErrNotReached = errors.New("the run ended before that")

// pollPause is how often it is looked whether a run stands still.
const pollPause = time.Millisecond

// Pause implements run.Pauser.
func (p *Runner) Pause(ctx context.Context, spec run.Spec, g uint64, count uint32, f func(ctx context.Context, pid int) error) error {
	file, err := p.newRunFile(spec, spec.Record, recording{max: smallMax, whole: true})
	if err != nil {
		return err
	}
	defer file.close()
	file.put(rt.WPauseG, g)
	file.put(rt.WPauseAt, uint64(count))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := p.command(ctx, spec, file.name)
	started, err := process.Start(ctx, cmd)
	if err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	// Nobody may wait for the process before f returns: to who debugs a child of its own,
	// the kernel reports each stop as if it ended.
	if err = awaitPause(ctx, file, spec.Timeout); err == nil {
		err = f(ctx, cmd.Process.Pid)
	}
	cancel()
	started.Wait()
	return err
}

// awaitPause returns when the program stands still.
func awaitPause(ctx context.Context, f *runFile, limit time.Duration) error {
	if limit == 0 {
		limit = DefaultTimeout
	}
	over := time.After(limit)
	poll := time.NewTicker(pollPause)
	defer poll.Stop()
	for f.word(rt.WPaused) == 0 {
		select {
		case <-poll.C:
			if f.word(rt.WStatus) != rt.StatusRunning {
				return ErrNotReached
			}
		case <-over:
			return fmt.Errorf("%w: the time of a run was over", ErrNotReached)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// command is a run's process, not started yet; its output is dropped.
func (p *Runner) command(ctx context.Context, spec run.Spec, runFile string) *exec.Cmd {
	t := p.bin.Target
	cmd := process.Command(ctx, p.bin.Path, p.args(spec)...)
	cmd.Dir = t.Dir
	if spec.Dir != "" {
		cmd.Dir = spec.Dir
	}
	cmd.Env = append(t.Environ(spec.Env...), "PWD="+cmd.Dir, rt.EnvRun+"="+runFile)
	return cmd
}
