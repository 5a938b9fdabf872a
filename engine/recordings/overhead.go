package recordings

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
)

// mostCompared bounds the runs of each build that are compared.
const mostCompared = 20

// overhead compares the processor time of the ordinary build with that of the recording
// one, while it records, in turns.
func (r *recorder) overhead(ctx context.Context, d *build.Driver, t target.Target, recording *instrument.Binary) (*report.Overhead, error) {
	plain, err := d.Program(ctx, t, r.opt.Flags, build.Plain)
	if err != nil {
		return nil, err
	}
	logs, err := os.MkdirTemp("", "hocket-overhead-")
	if err != nil {
		return nil, fmt.Errorf("measure the overhead: %w", err)
	}
	defer os.RemoveAll(logs)
	var plainly, recorded []time.Duration
	failed := 0
	for range min(r.opt.Runs, mostCompared) {
		a, passed, err := r.processorTime(ctx, plain)
		if err != nil {
			return nil, err
		}
		if !passed {
			failed++
		}
		b, _, err := r.processorTime(ctx, recording, rt.EnvRecord+"="+logs)
		if err != nil {
			return nil, err
		}
		plainly, recorded = append(plainly, a), append(recorded, b)
	}
	slices.Sort(plainly)
	slices.Sort(recorded)
	return &report.Overhead{Runs: len(plainly), PlainFailed: failed, PlainMS: milliseconds(plainly[len(plainly)/2]), RecordedMS: milliseconds(recorded[len(recorded)/2])}, nil
}

// processorTime is what a run takes, and whether it passed. One that does not end in time
// is an error.
func (r *recorder) processorTime(ctx context.Context, bin *instrument.Binary, env ...string) (took time.Duration, passed bool, err error) {
	limit := cmp.Or(r.opt.Timeout, play.DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the overhead is not known: a run did not end within %v", limit))
	defer cancel()
	cmd := exec.Command(bin.Path, bin.Target.RunArgs()...)
	cmd.Dir, cmd.Env = bin.Target.Dir, bin.Target.Environ(env...)
	err = process.Run(ctx, cmd)
	if ctx.Err() != nil {
		return 0, false, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return 0, false, fmt.Errorf("measure the overhead: %s: %w", bin.Target.ImportPath, err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err == nil, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
