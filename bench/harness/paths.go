package harness

import (
	"context"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/target"
)

// PathRecorder is a program built to record paths, and PathOptions what its runs
// take.
type (
	PathRecorder = paths.Recorder
	PathOptions  = paths.Options
)

// BuildPaths builds a main package, or one test of a package, to record paths.
func BuildPaths(ctx context.Context, dir, test string, args []string) (*PathRecorder, error) {
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	cache, err := build.CacheDir()
	if err != nil {
		return nil, err
	}
	t := instrument.Target{Dir: env.Dir, ImportPath: "main", Test: test != "", Entry: "main", Env: env.Extra, Args: args}
	if t.Test {
		t.Entry = test
	}
	return paths.Build(ctx, instrument.NewBuilder(cache), t, env.Roots().Name)
}
