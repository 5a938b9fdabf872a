package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/target"
)

// Slowdown is what one test costs plainly and under control: the shorter of two runs
// of each kind, one after the other in turns.
type Slowdown struct {
	Package, Entry    string
	Plain, Controlled time.Duration
	Limit             bool   // a run was ended at the limit; its time is that limit
	Err               string // why there are no times
}

// Times is how many plain runs a controlled one takes as long as.
func (s Slowdown) Times() float64 { return float64(s.Controlled) / float64(s.Plain) }

// Slowdowns tells of each test that the options select what a controlled run under a
// random schedule costs, compared with a run of the ordinary build. No run takes
// longer than the limit.
func Slowdowns(ctx context.Context, opt session.Options, limit time.Duration, tell func(Slowdown)) error {
	env, err := target.LoadEnv(ctx, opt.Dir)
	if err != nil {
		return err
	}
	q, err := opt.Query(env.Module)
	if err != nil {
		return err
	}
	targets, _, err := target.Discover(ctx, env, q)
	if err != nil {
		return err
	}
	driver, err := build.New(env)
	if err != nil {
		return err
	}
	defer driver.Close()
	tmp, err := os.MkdirTemp("", "hocket-slowdown-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	plain := map[string]string{} // binaries, by package
	for _, t := range targets {
		if t.Main || ctx.Err() != nil {
			continue
		}
		s := Slowdown{Package: t.Package, Entry: t.Entry}
		bin, ok := plain[t.Package]
		if !ok {
			bin = filepath.Join(tmp, fmt.Sprint("p", len(plain)))
			if err := plainTest(ctx, t, bin); err != nil {
				return err
			}
			plain[t.Package] = bin
		}
		if err := s.measure(ctx, driver, t, opt.Flags, bin, limit); err != nil {
			s.Err = err.Error()
		}
		tell(s)
	}
	return ctx.Err()
}

func plainTest(ctx context.Context, t target.Target, bin string) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", bin, t.Package)
	cmd.Dir = t.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("plain build of %s: %w: %s", t.Package, err, out)
	}
	return nil
}

func (s *Slowdown) measure(ctx context.Context, driver *build.Driver, t target.Target, flags target.Flags, bin string, limit time.Duration) error {
	runner, err := driver.Runner(ctx, t, flags, build.Control)
	if err != nil {
		return err
	}
	const turns = 2
	for i := range turns {
		plain, err := s.plainRun(ctx, t, bin, limit)
		if err != nil {
			return err
		}
		r, err := runner.Run(ctx, run.Spec{Strategy: run.POS, Seed: uint64(i), Timeout: limit})
		if err != nil {
			return err
		}
		s.Limit = s.Limit || r.Hang
		if i == 0 {
			s.Plain, s.Controlled = plain, r.Duration
		}
		s.Plain, s.Controlled = min(s.Plain, plain), min(s.Controlled, r.Duration)
		if max(plain, r.Duration) > limit/4 {
			break
		}
	}
	return nil
}

func (s *Slowdown) plainRun(ctx context.Context, t target.Target, bin string, limit time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, append([]string{"-test.run=" + t.TestRun}, t.Args...)...)
	cmd.Dir = t.Dir
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if ctx.Err() != nil {
		s.Limit = true
		return limit, nil
	}
	if code := (*exec.ExitError)(nil); err != nil && !errors.As(err, &code) {
		return 0, err
	}
	return took, nil // a test that fails is measured like one that does not
}
