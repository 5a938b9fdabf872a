package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/target"
)

// flaky says how often the plain program fails and whether a plain find finds that;
// then it records runs of a target until one fails, follows that 100 times, and finds it
// under control.
func (o *options) flaky(ctx context.Context, env *target.Env, d *build.Driver, t target.Target) error {
	fmt.Fprintln(o.w, t.Package, t.Entry)
	if o.plain > 0 {
		if err := o.failures(ctx, env, t); err != nil {
			return err
		}
	}
	if o.schedules > 0 {
		if err := o.find(ctx, env, t); err != nil {
			return err
		}
	}
	bin, err := d.Program(ctx, t, target.Flags{Short: o.short}, build.Record)
	if err != nil {
		return err
	}
	p, err := play.New(bin)
	if err != nil {
		return err
	}
	defer p.Close()
	start := time.Now()
	failed, n, err := untilFailure(ctx, p, o.runs)
	if err != nil {
		return err
	}
	if failed == nil {
		fmt.Fprintf(o.w, "    no failure in %d recorded runs, %v\n", n, time.Since(start).Round(time.Second))
		return nil
	}
	fmt.Fprintf(o.w, "    failed in recorded run %d, after %v: %s\n", n, time.Since(start).Round(time.Millisecond), failed.Failure)
	return o.from(ctx, env, bin.Target.Dir, failed)
}

// untilFailure records at most n runs, until one fails.
func untilFailure(ctx context.Context, p *play.Program, n int) (*record.Run, int, error) {
	for i := range n {
		r, err := p.Record(ctx)
		if err != nil {
			return nil, i, err
		}
		if r.Outcome != record.Passed {
			return r, i + 1, nil
		}
	}
	return nil, n, nil
}

// from follows a failed run, and finds it under control.
func (o *options) from(ctx context.Context, env *target.Env, dir string, failed *record.Run) error {
	failed.ID = record.NewID(failed.Started, failed.Digest)
	path, err := failed.Save(dir)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	start := time.Now()
	rep, err := engine.FindFrom(ctx, path, engine.FindOptions{Dir: env.Dir, Budget: o.budget}, nil)
	if err != nil {
		return err
	}
	r := rep.Recorded
	fmt.Fprintf(o.w, "    followed: %d of %d failed in the same way\n", r.Failed, r.Runs)
	if r.Lost != "" {
		fmt.Fprintf(o.w, "    %d lost: %s\n", r.LostRuns, r.Lost)
	}
	if r.Other != "" {
		fmt.Fprintf(o.w, "    others ended with: %s\n", r.Other)
	}
	o.total.add(tally{recorded: 1, runs: r.Runs, complete: r.Followed, same: r.Failed})
	found := "not found under control"
	for _, f := range rep.Findings {
		if f.Recorded != nil {
			found = fmt.Sprintf("finding %s, %s, %s", f.ID, f.Class, f.Confirmed)
		}
	}
	fmt.Fprintf(o.w, "    %s; %d directed runs, of which the first has no orders yet; %v in all\n", found, r.Directed, time.Since(start).Round(100*time.Millisecond))
	return nil
}

// failures runs the plain test until it has failed 20 times, at most o.plain times.
func (o *options) failures(ctx context.Context, env *target.Env, t target.Target) error {
	tmp, err := os.MkdirTemp("", "hocket-flaky-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	bin := filepath.Join(tmp, "plain")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", bin, ".")
	cmd.Dir = t.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the plain test: %w: %s", err, out)
	}
	failed, n := 0, 0
	for n < o.plain && failed < 20 {
		cmd := exec.CommandContext(ctx, bin, build.Target(env, t, target.Flags{}).RunArgs()...)
		cmd.Dir = t.Dir
		var exit *exec.ExitError
		if err := cmd.Run(); errors.As(err, &exit) && ctx.Err() == nil {
			failed++
		} else if err != nil {
			return err
		}
		n++
	}
	fmt.Fprintf(o.w, "    plain: failed in %d of %d runs\n", failed, n)
	return nil
}

// find is hocket find without a recorded run.
func (o *options) find(ctx context.Context, env *target.Env, t target.Target) error {
	rep, err := engine.Find(ctx, engine.FindOptions{Dir: env.Dir, Run: "^" + t.Entry + "$", Fresh: true, Schedules: o.schedules, Budget: 2 * time.Minute}, nil)
	if err != nil {
		return err
	}
	if len(rep.Findings) == 0 {
		fmt.Fprintf(o.w, "    find: nothing in %d attempts\n", rep.Targets[0].Searched.Attempts)
	}
	for _, f := range rep.Findings {
		fmt.Fprintf(o.w, "    find: %s in attempt %d, %s\n", f.Class, f.Search.Attempts, f.Message)
	}
	return nil
}
