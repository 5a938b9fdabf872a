package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/target"
)

// ways are how a program is built and run.
var ways = []string{"plain", "idle", "recording", "race"}

// cost runs each program of testdata/cost, and the tests of each folder as one program,
// by turns in all ways.
func (o *options) cost(ctx context.Context, suites []string) error {
	fmt.Fprintf(o.w, "%-10s %10s %8s %10s %8s   log, bytes   an operation\n", "program", "plain CPU", "idle", "recording", "-race")
	if err := o.costOfFolder(ctx, "bench/record/testdata/cost"); err != nil {
		return err
	}
	for _, dir := range suites {
		if err := o.costOfFolder(ctx, dir); err != nil {
			fmt.Fprintf(o.w, "%s: %v\n", filepath.Base(dir), err)
		}
	}
	return nil
}

// costOfFolder measures the main package of a folder, with each of the arguments that it
// prints when it is given none; or the whole of its tests, if it has no main package.
func (o *options) costOfFolder(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return err
	}
	ts, _, err := target.Discover(ctx, env, target.Query{})
	if err != nil {
		return err
	}
	d, err := build.New(env)
	if err != nil {
		return err
	}
	defer d.Close()
	tmp, err := os.MkdirTemp("/dev/shm", "hocket-cost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if len(ts) == 0 {
		return errors.New("no program and no tests")
	}
	bin, err := d.Program(ctx, ts[0], target.Flags{}, build.Record)
	if err != nil {
		return err
	}
	progs := map[string]string{"idle": bin.Path, "recording": bin.Path, "plain": filepath.Join(tmp, "plain"), "race": filepath.Join(tmp, "race")}
	for way, flag := range map[string]string{"plain": "-race=false", "race": "-race"} {
		command := []string{"build"}
		if !ts[0].Main {
			command = []string{"test", "-c"}
		}
		cmd := exec.CommandContext(ctx, "go", append(command, flag, "-o", progs[way], ".")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(o.w, "no %s build: %s\n", way, out)
			delete(progs, way)
		}
	}
	if !ts[0].Main {
		args := []string{"-test.short"}
		if o.run != "" {
			args = append(args, "-test.run="+o.run)
		}
		return o.costOf(ctx, dir, tmp, filepath.Base(dir), args, progs)
	}
	names, err := exec.CommandContext(ctx, progs["plain"]).Output()
	if err != nil {
		return err
	}
	only, err := regexp.Compile(o.run)
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(names)) {
		if !only.MatchString(name) {
			continue
		}
		if err := o.costOf(ctx, dir, tmp, name, []string{name}, progs); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) costOf(ctx context.Context, dir, tmp, name string, args []string, progs map[string]string) error {
	cpu := map[string][]time.Duration{}
	var log, ops int64
	for range o.rounds {
		for _, way := range ways {
			if progs[way] == "" {
				continue
			}
			logs, err := os.MkdirTemp(tmp, "logs")
			if err != nil {
				return err
			}
			cmd := exec.CommandContext(ctx, progs[way], args...)
			cmd.Dir = dir
			if way == "recording" {
				cmd.Env = append(os.Environ(), rt.EnvRecord+"="+logs)
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s %s: %w: %s", name, way, err, out)
			}
			u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			cpu[way] = append(cpu[way], time.Duration(u.Utime.Nano()+u.Stime.Nano()))
			if files, _ := filepath.Glob(filepath.Join(logs, "*.hklog")); len(files) > 0 {
				r, err := record.ReadLog(files[0])
				if err != nil {
					return err
				}
				log, ops = r.LogBytes, int64(r.Ops())
			}
			os.RemoveAll(logs)
		}
	}
	fmt.Fprintf(o.w, "%-10s %10v %8s %10s %8s %12d %10.4f\n", name, median(cpu["plain"]).Round(time.Millisecond),
		more(cpu["plain"], cpu["idle"]), more(cpu["plain"], cpu["recording"]), more(cpu["plain"], cpu["race"]), log, float64(log)/float64(max(ops, 1)))
	return nil
}

func median(ds []time.Duration) time.Duration {
	ds = slices.Sorted(slices.Values(ds))
	return ds[len(ds)/2]
}

// more is the median, over the rounds, of what b took beyond a.
func more(a, b []time.Duration) string {
	if len(a) != len(b) {
		return "-"
	}
	var rs []float64
	for i := range a {
		rs = append(rs, float64(b[i])/float64(a[i]))
	}
	slices.Sort(rs)
	m := rs[len(rs)/2]
	if m > 3 {
		return fmt.Sprintf("%.1fx", m)
	}
	return fmt.Sprintf("%+.0f %%", 100*(m-1))
}
