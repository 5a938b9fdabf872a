package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
)

// File builds the program of a main package into a file: one that records its runs (mode
// Record), or one whose loops count their rounds (mode Plain).
func File(ctx context.Context, dir, pattern, out string, flags target.Flags, mode Mode) error {
	ctx, done := process.Guard(ctx)
	defer done()
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return err
	}
	t, err := mainOf(ctx, env, pattern, flags)
	if err != nil {
		return err
	}
	d, err := New(env)
	if err != nil {
		return err
	}
	defer d.Close()
	if mode == Plain {
		if t, _, err = d.Counted(ctx, t, flags); err != nil {
			return err
		}
	}
	bin, err := d.Program(ctx, t, flags, mode)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(bin.Path)
	if err != nil {
		return fmt.Errorf("read the program that was built: %w", err)
	}
	if err := os.WriteFile(out, text, 0o777); err != nil {
		return fmt.Errorf("-o %s: %w", out, err)
	}
	return nil
}

// mainOf is the main package of a pattern.
func mainOf(ctx context.Context, env *target.Env, pattern string, flags target.Flags) (target.Target, error) {
	targets, problems, err := target.Discover(ctx, env, target.Query{Patterns: []string{pattern}, Flags: flags})
	if err != nil {
		return target.Target{}, err
	}
	if i := slices.IndexFunc(targets, func(t target.Target) bool { return t.Main }); i >= 0 {
		return targets[i], nil
	}
	if len(problems) > 0 {
		return target.Target{}, errors.New(problems[0].String())
	}
	return target.Target{}, fmt.Errorf("%s is no main package: hocket build makes a program of one", pattern)
}
