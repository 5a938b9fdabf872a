package recordings

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
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
	for range min(r.opt.Runs, mostCompared) {
		a, err := processorTime(ctx, plain)
		if err != nil {
			return nil, err
		}
		b, err := processorTime(ctx, recording, rt.EnvRecord+"="+logs)
		if err != nil {
			return nil, err
		}
		plainly, recorded = append(plainly, a), append(recorded, b)
	}
	slices.Sort(plainly)
	slices.Sort(recorded)
	return &report.Overhead{Runs: len(plainly), PlainMS: milliseconds(plainly[len(plainly)/2]), RecordedMS: milliseconds(recorded[len(recorded)/2])}, nil
}

// processorTime is what a run takes, however it ends.
func processorTime(ctx context.Context, bin *instrument.Binary, env ...string) (time.Duration, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, compared, fmt.Errorf("a run took more than %v", compared))
	defer cancel()
	cmd := exec.Command(bin.Path, bin.Target.RunArgs()...)
	cmd.Dir, cmd.Env = bin.Target.Dir, bin.Target.Environ(env...)
	_ = process.Run(ctx, cmd) // one that fails takes time, too
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return 0, fmt.Errorf("measure the overhead: %s does not start", bin.Target.ImportPath)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// compared is the longest that a run is waited for.
const compared = time.Minute

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
