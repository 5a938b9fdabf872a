package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
)

// costPrograms is a program that does one of several kinds of work, by its argument;
// without one it lists them.
const costPrograms = "bench/record/testdata/cost"

// cost runs each kind of work by turns in a plain build and in one that counts the rounds
// of its loops, and compares the processor time.
func cost(ctx context.Context, w io.Writer, rounds int) error {
	tmp, err := os.MkdirTemp("", "hocket-cores-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	plain, counting := filepath.Join(tmp, "plain"), filepath.Join(tmp, "counting")
	if err := engine.BuildCounting(ctx, costPrograms, ".", counting, engine.Flags{}); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", plain, ".")
	build.Dir = costPrograms
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	names, err := exec.CommandContext(ctx, plain).Output()
	if err != nil {
		return err
	}
	t := table.New(w, "program   ", "plain ms", "counters")
	for _, name := range strings.Fields(string(names)) {
		var times, shares []float64
		for i := range rounds {
			order := []string{plain, counting}
			if i%2 == 1 {
				slices.Reverse(order)
			}
			took := map[string]float64{}
			for _, bin := range order {
				if took[bin], err = processorTime(ctx, bin, name); err != nil {
					return err
				}
			}
			times, shares = append(times, took[plain]), append(shares, took[counting]/took[plain])
		}
		t.Row(name, fmt.Sprintf("%.0f", median(times)), fmt.Sprintf("%+.1f %%", 100*(median(shares)-1)))
	}
	return nil
}

// processorTime is that of a run, in milliseconds.
func processorTime(ctx context.Context, bin, name string) (float64, error) {
	cmd := exec.CommandContext(ctx, bin, name)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / float64(time.Millisecond), nil
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}
