// Command rate measures, for a main package or one test of a folder, how many
// schedules a minute a search tries, and what a controlled run costs against a
// plain run and one under the Go race detector.
//
//	go run ./bench/rate -n 200 [-test TestX] FOLDER
//
// Runs are processes, one after another for the costs and on all processors
// for the rate. The medians of wall-clock times are printed: on a loaded
// machine compare only figures of one run of this command.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/engine"
)

func main() {
	n := flag.Int("n", 100, "runs of each kind")
	test := flag.String("test", "", "the test to run; empty: the main package")
	flag.Parse()
	if flag.NArg() != 1 || *n < 1 {
		fmt.Fprintln(os.Stderr, "usage: rate [-n 100] [-test TestX] FOLDER")
		os.Exit(2)
	}
	if err := measure(context.Background(), flag.Arg(0), *test, *n); err != nil {
		fmt.Fprintln(os.Stderr, "rate: "+err.Error())
		os.Exit(1)
	}
}

func measure(ctx context.Context, dir, test string, n int) error {
	tmp, err := os.MkdirTemp("", "hocket-rate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	plain, err := ordinary(ctx, dir, test, filepath.Join(tmp, "plain"), n)
	if err != nil {
		return fmt.Errorf("plain build: %w", err)
	}
	fmt.Printf("plain       %8.2f ms a run\n", ms(plain))
	if race, err := ordinary(ctx, dir, test, filepath.Join(tmp, "race"), n, "-race"); err != nil {
		fmt.Printf("-race       not measured: %v\n", err)
	} else {
		fmt.Printf("-race       %8.2f ms a run, %.1f times plain\n", ms(race), float64(race)/float64(plain))
	}
	runs, err := harness.MeasureRuns(ctx, engine.FindOptions{Dir: dir, Run: exactly(test), Schedules: n})
	if err != nil {
		return err
	}
	fmt.Printf("controlled  %8.2f ms a run, %.1f times plain\n", ms(runs.Median), float64(runs.Median)/float64(plain))
	fmt.Printf("rate        %8.0f schedules a minute (%d tried)\n", runs.PerMinute, runs.Tried)
	return nil
}

func exactly(test string) string {
	if test == "" {
		return "^main$"
	}
	return "^" + test + "$"
}

// ordinary builds and runs the program without hocket; the median counts.
func ordinary(ctx context.Context, dir, test, bin string, n int, flags ...string) (time.Duration, error) {
	args := append([]string{"build", "-o", bin}, flags...)
	var run []string
	if test != "" {
		args = append([]string{"test", "-c", "-o", bin}, flags...)
		run = []string{"-test.run=" + exactly(test)}
	}
	build := exec.CommandContext(ctx, "go", append(args, ".")...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	var times []time.Duration
	for range n {
		cmd := exec.CommandContext(ctx, bin, run...)
		cmd.Dir = dir
		// By default a program built with -race sleeps a second before it ends.
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		start := time.Now()
		var ee *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &ee) {
			return 0, err // a program that fails is measured like one that does not
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
