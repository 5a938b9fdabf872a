package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/recordings"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/target"
)

type options struct {
	w                   io.Writer
	runs, times, rounds int
	plain, schedules    int
	budget              time.Duration
	run                 string
	short, control      bool
	total               tally
}

// tally counts runs that followed recorded ones.
type tally struct{ recorded, runs, complete, same, directed, kept int }

func (t *tally) add(o tally) {
	t.recorded += o.recorded
	t.runs += o.runs
	t.complete += o.complete
	t.same += o.same
	t.directed += o.directed
	t.kept += o.kept
}

func (t tally) String() string {
	s := fmt.Sprintf("%d recorded, followed %d times: %d to the end (%.1f %%), %d with the same outcome", t.recorded, t.runs, t.complete, 100*float64(t.complete)/float64(max(t.runs, 1)), t.same)
	if t.directed > 0 {
		s += fmt.Sprintf("; controlled %d times: %d with equal operations and outcome", t.directed, t.kept)
	}
	return s
}

// eachFolder calls what for all targets of folders.
func (o *options) eachFolder(ctx context.Context, dirs []string, what func(ctx context.Context, env *target.Env, d *build.Driver, t target.Target) error) error {
	if len(dirs) == 0 {
		return errors.New("no folders")
	}
	for _, dir := range dirs {
		env, err := target.LoadEnv(ctx, dir)
		if err != nil {
			return err
		}
		ts, problems, err := target.Discover(ctx, env, target.Query{Run: o.run, Flags: target.Flags{Short: o.short}})
		if err != nil {
			fmt.Fprintln(o.w, dir, err)
			continue
		}
		for _, p := range problems {
			fmt.Fprintln(o.w, p)
		}
		d, err := build.New(env)
		if err != nil {
			return err
		}
		for _, t := range ts {
			if err := what(ctx, env, d, t); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				fmt.Fprintf(o.w, "%s %s: %v\n", t.Package, t.Entry, err)
			}
		}
		d.Close()
	}
	fmt.Fprintln(o.w, "all:", o.total)
	return nil
}

// follow records runs of a target and has each followed.
func (o *options) follow(ctx context.Context, env *target.Env, d *build.Driver, t target.Target) error {
	bin, err := d.Program(ctx, t, target.Flags{Short: o.short}, build.Record)
	if err != nil {
		return err
	}
	p, err := play.New(bin)
	if err != nil {
		return err
	}
	defer p.Close()
	var runner run.Runner
	if o.control {
		if runner, err = d.Runner(ctx, t, target.Flags{Short: o.short}, build.Control); err != nil {
			return err
		}
	}
	var own tally
	lost := map[string]int{}
	var ops, recs, bytes uint64
	for range o.runs {
		r, err := p.Record(ctx)
		if err != nil {
			return err
		}
		own.recorded++
		ops, recs, bytes = ops+r.Ops(), recs+uint64(r.Records()), bytes+uint64(r.LogBytes)
		for range o.times {
			a, err := p.Follow(ctx, r)
			if err != nil {
				return err
			}
			own.runs++
			if a.Complete {
				own.complete++
			} else if a.Lost == nil {
				lost[fmt.Sprintf("ended after %d of %d operations, %s", a.Done, a.Of, a.Failure)]++
			} else {
				lost[fmt.Sprintf("%s wanted, %s came, at %s", a.Lost.Want, a.Lost.Have, a.Place)]++
			}
			if a.Same(r) {
				own.same++
			}
		}
		if runner != nil {
			k, err := recordings.Control(ctx, p, r, runner)
			if err != nil {
				lost["control: "+err.Error()]++
				continue
			}
			own.directed++
			if k.All() {
				own.kept++
			} else {
				lost[fmt.Sprintf("control: %d of %d operations in the best of %d runs, same outcome %v", k.Matched, k.Of, k.Runs, k.Same)]++
			}
		}
	}
	o.total.add(own)
	n := uint64(max(own.recorded, 1))
	fmt.Fprintf(o.w, "%s %s: %v; a run has %d operations, %d records, %d bytes\n", t.Package, t.Entry, own, ops/n, recs/n, bytes/n)
	for why, n := range lost {
		fmt.Fprintf(o.w, "    %d lost: %s\n", n, why)
	}
	return nil
}
