package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/instrument/points"
)

func (p *program) bin(planned bool) string {
	if planned {
		return filepath.Join(p.dir, "native.bin")
	}
	return filepath.Join(p.dir, "plain.bin")
}

// plainTime is how long runs of the plain build are started for. A program that
// hangs by itself would take too long for more than two.
const plainTime = 4 * time.Second

// plainly runs the build that the user would make, and reports whether that is
// enough: the failure comes by itself in most runs.
func (p *program) plainly(ctx context.Context) (enough bool, err error) {
	n := p.req.Baseline
	if p.req.PlainOnly {
		n = p.req.runs()
	}
	if n == 0 || p.judge.NeedsDump() { // the plain build has nothing that writes the dump
		return false, nil
	}
	if err := p.buildPlain(ctx); err != nil {
		return false, err
	}
	start := time.Now()
	r := p.rep
	err = sideBySide(ctx, n, p.req.parallel(), func(ctx context.Context, i int) (*attempt, error) {
		if i > 1 && !p.req.PlainOnly && time.Since(start) > plainTime {
			return nil, errEnough
		}
		return p.run(ctx, i, &way{})
	}, func(_ int, a *attempt) { r.countPlain(a, p.judge) })
	r.PlainTime = median(r.plain)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if r.Plain = err == nil && (p.req.PlainOnly || p.req.PlainSuffices && r.Baseline.Failed*2 > r.Baseline.Runs); r.Plain {
		r.Runs, r.Failed = r.Baseline.Runs, r.Baseline.Failed
	}
	return r.Plain, err
}

// buildPlain makes the build that the user would make, once.
func (p *program) buildPlain(ctx context.Context) error {
	if _, err := os.Stat(p.bin(false)); err == nil {
		return nil
	}
	t := p.req.Target
	return t.Compile(ctx, "go", p.bin(false), t.Overlay.Flags(), nil)
}

// errEnough ends the plain runs.
var errEnough = errors.New("enough runs")

func (rep *Report) countPlain(a *attempt, j *judge) {
	rep.Baseline.Runs++
	rep.plain = append(rep.plain, a.took)
	if j.same(a) {
		rep.Baseline.Failed++
		rep.Output = a.printed()
		return
	}
	if a.exit != 0 {
		rep.OtherPlayed, rep.OtherOutput = rep.OtherPlayed+1, a.printed()
	}
	if rep.Sample == "" {
		rep.Sample = a.printed()
	}
}

// build builds the ordinary program, with points. Places that can't have a
// point are left out, together with what waits for them.
func (p *program) build(ctx context.Context) error {
	t := p.req.Target
	plans := p.plans()
	places := slices.Clone(plans[0].Places)
	if entry, err := entryFile(ctx, t); err == nil && entry != "" {
		places = append(places, points.Place{Kind: points.Linger, File: entry, Func: t.Func()})
	}
	var refused []points.Skip
	for try := 0; ; try++ {
		b, err := points.Prepare(ctx, t, filepath.Join(p.dir, "src"), places)
		if err != nil {
			return err
		}
		err = t.Compile(ctx, b.Go, p.bin(true), b.Flags, b.Env)
		if be := (*instrument.BuildError)(nil); errors.As(err, &be) {
			if err := p.buildPlain(ctx); err != nil {
				return err // the program itself does not compile any more
			}
			rest, blamed := withoutBlamed(places, be.Output)
			if len(blamed) == 0 || try == maxRefusals {
				return noBuild(be)
			}
			places, refused = rest, append(refused, blamed...)
			continue
		}
		if err != nil {
			return err
		}
		p.rep.Skipped, p.moved = append(refused, b.Skipped...), b.Moved
		for _, plan := range plans {
			plan.leaveOut(p.rep.Skipped)
			plan.joinVisits(b.Shared)
		}
		return nil
	}
}
