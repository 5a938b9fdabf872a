package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/temp"
)

// The first build of a Go version compiles the standard library with access
// hooks, which takes a minute or more: longer than a search that an editor
// starts. Where the caller asks for it (Options.FreeBuild of a session), that is done
// before the budget's clock starts, on a test of our own.

const warmTest = `package warm

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestWarm(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { t.Log(ctx.Err()) })
	wg.Wait()
}
`

// Warm builds the standard library for the Go version of a folder, unless that
// was done before. Errors are ignored: the search reports what is wrong with
// the build.
func Warm(ctx context.Context, dir string, tell progress.Func) {
	warm(ctx, dir, tell, buildControl)
}

// builder builds a target and runs nothing.
type builder func(ctx context.Context, env *target.Env, t target.Target) error

func buildControl(ctx context.Context, env *target.Env, t target.Target) error {
	d, err := New(env)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = d.Runner(ctx, t, target.Flags{}, Control)
	return err
}

func warm(ctx context.Context, dir string, tell progress.Func, build builder) {
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return
	}
	mark, err := warmMark(env)
	if err != nil {
		return
	}
	if _, err := os.Stat(mark); err == nil {
		return
	}
	if tell != nil {
		tell(progress.Update{Phase: progress.Building, Target: "the standard library, once for " + env.GoVersion, Left: -1})
	}
	if buildWarm(ctx, env, build) == nil {
		os.MkdirAll(filepath.Dir(mark), 0o777)
		os.WriteFile(mark, nil, 0o666)
	}
}

// warmMark returns the name of a file that records that this build of Hocket
// has warmed the build cache for a Go version. After "go clean -cache" it is
// wrong: the build then takes time from the budget.
func warmMark(env *target.Env) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	st, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(fmt.Sprint(env.GoVersion, env.Goroot, env.GoCache, st.Size(), st.ModTime().UnixNano())))
	return filepath.Join(cache, "warm", hex.EncodeToString(sum[:8])), nil
}

func buildWarm(ctx context.Context, own *target.Env, build builder) error {
	dir, err := temp.Dir("warm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"go.mod":       "module warm\n\ngo " + strings.TrimPrefix(own.GoVersion, "go") + "\n",
		"warm_test.go": warmTest,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	env := *own
	env.Dir, env.Module, env.ModulePath, env.Workspace = dir, dir, "warm", ""
	env.Extra = append([]string{"GOWORK=off", "GOFLAGS="}, own.Extra...)
	targets, _, err := target.Discover(ctx, &env, target.Query{})
	if err != nil || len(targets) == 0 {
		return err
	}
	return build(ctx, &env, targets[0])
}
