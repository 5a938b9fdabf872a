// Command versions compares two builds of Hocket in one run:
//
//	go run ./bench/versions -before BIN -after BIN [-cases FOLDER] [-kernels] [-budget 60s] [-rounds 1]
//
// Each program is searched by both, one right after the other, and the order
// alternates from program to program. Programs are the cases below FOLDER, as
// for bench/cases, and with -kernels those of bench/kernels, each started once.
// Both start with warm build caches. The output shows, for each program and
// both builds, whether the bug was found, in how many attempts and seconds, and
// the ratio of the seconds; then the sums, and the geometric mean of the ratios
// of programs whose bug both found.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine/report"
)

type options struct {
	before, after string
	cases         string
	kernels       bool
	budget        time.Duration
	strategy      string
	rounds        int
}

func main() {
	var o options
	flag.StringVar(&o.before, "before", "", "the hocket binary to compare with")
	flag.StringVar(&o.after, "after", "", "the hocket binary to measure")
	flag.StringVar(&o.cases, "cases", "", "the folder of cases")
	flag.BoolVar(&o.kernels, "kernels", false, "search the kernels of the Go distribution")
	flag.DurationVar(&o.budget, "budget", 60*time.Second, "budget of one find")
	flag.StringVar(&o.strategy, "strategy", "auto", "strategy of the searches")
	flag.IntVar(&o.rounds, "rounds", 1, "how often each program is searched, each time with another seed")
	flag.Parse()
	if o.before == "" || o.after == "" || o.cases == "" && !o.kernels || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: versions -before BIN -after BIN [-cases FOLDER] [-kernels] [flags]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "versions: "+err.Error())
		os.Exit(1)
	}
}

// program is a folder to search, and the arguments that select in it.
type program struct {
	name, dir string
	args      []string
	env       []string
}

func run(ctx context.Context, w io.Writer, o options) error {
	dir, err := os.MkdirTemp("", "hocket-versions-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := gather(ctx, dir, o)
	if err != nil {
		return err
	}
	t := table.New(w, "program           ", "before", "tries", "  sec", "after", "tries", "  sec", "ratio")
	var sum totals
	for round := range o.rounds {
		for i, p := range all {
			before, after, err := both(ctx, o, p, round, (round+i)%2 == 1)
			if err != nil {
				return err
			}
			sum.add(before, after)
			t.Row(p.name, before.word(), before.attempts, before.seconds, after.word(), after.attempts, after.seconds,
				fmt.Sprintf("%.2f", after.seconds/before.seconds))
		}
	}
	_, err = fmt.Fprintln(w, "\n"+sum.String())
	return err
}

func gather(ctx context.Context, dir string, o options) ([]program, error) {
	var all []program
	if o.cases != "" {
		cases, err := programs.Cases(o.cases, "", dir)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			all = append(all, program{name: c.Name, dir: c.Dir})
		}
	}
	if !o.kernels {
		return all, nil
	}
	own := filepath.Join(dir, "kernels")
	if err := os.Mkdir(own, 0o777); err != nil {
		return nil, err
	}
	kernels, err := programs.Kernels(ctx, own)
	if err != nil {
		return nil, err
	}
	for _, k := range kernels {
		all = append(all, program{name: k.Name, dir: own, args: []string{"--", k.Name}, env: []string{"GOEXPERIMENT=goroutineleakprofile"}})
	}
	return all, programs.Single(own)
}

// outcome of one find.
type outcome struct {
	found    bool
	status   report.Status
	attempts int
	seconds  float64
}

func (o outcome) word() string {
	if o.found {
		return "found"
	}
	return string(o.status)
}

// both searches a program by both builds; what one finds the other does not see.
func both(ctx context.Context, o options, p program, round int, afterFirst bool) (before, after outcome, err error) {
	if afterFirst {
		if after, err = find(ctx, o, o.after, p, round); err == nil {
			before, err = find(ctx, o, o.before, p, round)
		}
		return before, after, err
	}
	if before, err = find(ctx, o, o.before, p, round); err == nil {
		after, err = find(ctx, o, o.after, p, round)
	}
	return before, after, err
}

func find(ctx context.Context, o options, bin string, p program, round int) (outcome, error) {
	defer os.RemoveAll(filepath.Join(p.dir, ".hocket"))
	args := []string{"find", "-json", "-free-build", "-budget", o.budget.String(), "-strategy", o.strategy, "-seed", strconv.Itoa(round), "."}
	cmd := exec.CommandContext(ctx, bin, append(args, p.args...)...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), p.env...)
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return outcome{}, errors.Join(err, ctx.Err())
	}
	var rep report.Report
	if err := json.Unmarshal(out, &rep); err != nil || len(rep.Targets) == 0 {
		return outcome{}, fmt.Errorf("%s in %s: no report: %v", bin, p.name, err)
	}
	res := outcome{found: len(rep.Findings) > 0, status: rep.Targets[0].Status, seconds: took.Seconds()}
	for _, t := range rep.Targets {
		res.attempts += t.Searched.Attempts
	}
	return res, nil
}

// totals of all programs.
type totals struct {
	programs                  int
	foundBefore, foundAfter   int
	secondsBefore, secondsNow float64
	logs                      float64 // of the ratios of programs that both found
	compared                  int
}

func (s *totals) add(before, after outcome) {
	s.programs++
	s.secondsBefore += before.seconds
	s.secondsNow += after.seconds
	if before.found {
		s.foundBefore++
	}
	if after.found {
		s.foundAfter++
	}
	if before.found && after.found && before.seconds > 0 && after.seconds > 0 {
		s.logs += math.Log(after.seconds / before.seconds)
		s.compared++
	}
}

func (s *totals) String() string {
	mean := "-"
	if s.compared > 0 {
		mean = fmt.Sprintf("%.2f", math.Exp(s.logs/float64(s.compared)))
	}
	return fmt.Sprintf("%d searches: found %d before and %d after, in %.0f and %.0f s; of the %d that both found the mean ratio is %s",
		s.programs, s.foundBefore, s.foundAfter, s.secondsBefore, s.secondsNow, s.compared, mean)
}
