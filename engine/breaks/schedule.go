package breaks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/target"
)

// runSchedule is Run for one breakpoint of kind "schedule": it finds the target
// that the breakpoint names, and the places in the current texts, plays the
// plan and judges by the schedule's failure. Sides of the result are the places
// that are points. If statements can't be found, they are in Lost and nothing
// is run. Of the options, N, Plain, Flags, Overlay and Timeout are used.
func runSchedule(ctx context.Context, env *target.Env, b *breakfile.Breakpoint, opt RunOptions, tell progress.Func) (*Ran, error) {
	p, err := newScheduled(ctx, env, b, opt)
	if err != nil {
		return nil, err
	}
	out := &Ran{Package: b.Package, Entry: b.Entry}
	if len(p.lost) > 0 {
		out.Breakpoints = []Stat{{ID: b.ID, Lost: strings.Join(p.lost, "; ")}}
		return out, nil
	}
	if tell != nil {
		tell(progress.Update{Phase: progress.RunningBreaks, Target: strings.TrimSpace(b.Package + " " + b.Entry), Planned: p.request.Runs, Left: -1})
	}
	rep, err := native.Confirm(ctx, p.request)
	if rep == nil || err != nil && (ctx.Err() == nil || rep.Runs == 0) {
		return nil, err
	}
	out.Cut = err != nil
	return p.result(out, rep), nil
}

// scheduled is a schedule located in the current sources.
type scheduled struct {
	b       *breakfile.Breakpoint
	env     *target.Env
	target  target.Target
	request native.Request
	found   []string // by index in b.Places: where it is now, "pool.go:41"; "": lost
	lost    []string
}

func newScheduled(ctx context.Context, env *target.Env, b *breakfile.Breakpoint, opt RunOptions) (*scheduled, error) {
	if b.Schedule == nil {
		return nil, fmt.Errorf("breakpoint %s is of kind schedule, but has none; remove it and make it again from its finding", b.ID)
	}
	p := &scheduled{b: b, env: env, found: make([]string, len(b.Places))}
	steps, err := breakpoints.Parse(b.Schedule.Plan)
	if err != nil {
		return nil, fmt.Errorf("breakpoint %s: %w", b.ID, err)
	}
	var judge reproduce.Judge
	if err := json.Unmarshal(b.Schedule.Judge, &judge); err != nil {
		return nil, fmt.Errorf("breakpoint %s: its judge: %w", b.ID, err)
	}
	if err := p.findTarget(ctx, opt); err != nil {
		return nil, err
	}
	plan := &native.Plan{Steps: steps}
	p.request = native.Request{Target: build.Target(env, p.target, opt.Flags), Plan: plan, Judge: &judge,
		Runs: opt.N, Baseline: max(opt.Plain, 0), Timeout: opt.Timeout}
	if opt.Plain < 0 {
		p.request.Baseline = 20
	}
	p.request.Target.Flags = append(judge.Flags, p.request.Target.Flags...)
	p.request.Target.Args = append(p.request.Target.Args, judge.Args...)
	for i, place := range b.Places {
		if file, at, ok := p.find(ctx, place); ok && place.Point != nil {
			pl, err := native.PlaceOf(*place.Point, file, at.Line)
			if err != nil {
				return nil, fmt.Errorf("breakpoint %s: %w", b.ID, err)
			}
			plan.Places = append(plan.Places, pl)
			p.found[i] = fmt.Sprintf("%s:%d", env.Roots().Name(file), at.Line)
		}
	}
	for _, place := range judge.Blocked {
		if file, at, ok := p.find(ctx, place); ok {
			p.request.Blocked = append(p.request.Blocked, reproduce.ShortPlace(file, at.Line, at.EndLine))
		}
	}
	return p, nil
}

// findTarget finds what to run.
func (p *scheduled) findTarget(ctx context.Context, opt RunOptions) error {
	s := p.b.Schedule
	o := RunOptions{Patterns: []string{p.b.Package}, Flags: opt.Flags, Overlay: opt.Overlay}
	if s.Test {
		o.Run = s.TestRun
	}
	q, err := o.query(p.env.Module)
	if err != nil {
		return err
	}
	targets, _, err := target.Discover(ctx, p.env, q)
	if err != nil {
		return fmt.Errorf("breakpoint %s: %w", p.b.ID, err)
	}
	for _, t := range targets {
		if t.Main != s.Test {
			t.Entry, t.TestRun = p.b.Entry, s.TestRun
			p.target = t
			return nil
		}
	}
	return fmt.Errorf("breakpoint %s: %s has no %s any more; remove the breakpoint", p.b.ID, p.b.Package, p.b.Entry)
}

// find looks for a place in the files of its package and records it as lost if
// it is not found.
func (p *scheduled) find(ctx context.Context, place breakfile.Place) (string, breakfile.Location, bool) {
	file, at, err := p.locate(ctx, place)
	if err != nil {
		p.lost = append(p.lost, fmt.Sprintf("%s:%d: %v", place.File, place.Line, err))
	}
	return file, at, err == nil
}

func (p *scheduled) locate(_ context.Context, place breakfile.Place) (string, breakfile.Location, error) {
	paths := pathsOf(filepath.Dir(p.env.Roots().Abs(place.File)), place.File)
	texts := map[string][]byte{}
	for name, path := range paths {
		text, err := p.target.Overlay.ReadFile(path)
		if err == nil {
			texts[name] = text
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", breakfile.Location{}, err
		}
	}
	name, at, err := breakfile.LocateIn(place, texts)
	return paths[name], at, err
}

// result returns what the runs showed, in the form of Run.
func (p *scheduled) result(out *Ran, rep *native.Report) *Ran {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	out.Runs, out.Hits, out.Failed, out.MS, out.Output = rep.Runs, rep.Played, rep.Failed+rep.Other, ms(rep.Time), rep.Output
	count := func(all *[]Failure, message string, n int) {
		if n > 0 {
			*all = append(*all, Failure{Message: message, Count: n})
		}
	}
	count(&out.Failures, p.b.Schedule.Message, rep.Failed)
	count(&out.Failures, "another failure", rep.Other)
	out.Plain = PlainRuns{Runs: rep.Baseline.Runs, Failed: rep.Baseline.Failed, MS: ms(rep.PlainTime)}
	count(&out.Plain.Failures, p.b.Schedule.Message, rep.Baseline.Failed)
	stat := Stat{ID: p.b.ID, Hit: rep.Played, Schedule: true, Notes: []string{}}
	stat.Sides = p.sides(rep)
	for _, s := range rep.Skipped {
		stat.Notes = append(stat.Notes, fmt.Sprintf("no point at %s:%d: %s", p.env.Roots().Name(s.Place.File), s.Place.Line, s.Reason))
	}
	if n := rep.Stuck + rep.TimedOut; n > 0 {
		stat.Notes = append(stat.Notes, fmt.Sprintf("in %d of %d runs the order was not possible", n, rep.Runs))
	}
	out.Breakpoints = []Stat{stat}
	return out
}

// sides has the counts of the places that are points, in the order of the
// breakpoint. A mark of a goroutine's start has a number of its own, which can be
// that of a point, too.
func (p *scheduled) sides(rep *native.Report) []SideStat {
	out := []SideStat{}
	for i, place := range p.b.Places {
		if place.Point == nil || place.Point.Kind == string(points.Spawn) {
			continue
		}
		side := SideStat{Place: p.found[i]}
		for _, step := range rep.Plan.Steps.Steps {
			if step.Point == place.Point.ID {
				side.Reached += rep.Arrived[step.ID]
			}
		}
		out = append(out, side)
	}
	return out
}

// pathsOf lists the Go files of a folder by the names that places have.
func pathsOf(dir, name string) map[string]string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	out := map[string]string{}
	for _, f := range files {
		out[name[:strings.LastIndex(name, "/")+1]+filepath.Base(f)] = f
	}
	return out
}
