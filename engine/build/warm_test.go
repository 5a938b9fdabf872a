package build

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// warming remembers what was built, and where.
type warming struct {
	env   *target.Env
	built []target.Target
}

func (w *warming) build(_ context.Context, env *target.Env, t target.Target) error {
	w.env, w.built = env, append(w.built, t)
	return nil
}

// The standard library is built once, outside the user's module and with the
// user's Go, and the mark keeps it from being done again.
func TestWarm(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := testmodule.New(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n")
	w := &warming{}
	told := 0
	for range 2 {
		warm(t.Context(), dir, func(progress.Update) { told++ }, w.build)
	}
	if len(w.built) != 1 || told != 1 {
		t.Fatalf("built %d times and told %d times, want once", len(w.built), told)
	}
	if b := w.built[0]; b.Entry != "TestWarm" || b.Dir == dir || w.env.Module != b.Dir {
		t.Errorf("built %s in %s", b.Entry, b.Dir)
	}
	if _, err := os.Stat(w.built[0].Dir); !os.IsNotExist(err) {
		t.Errorf("%s is left behind (%v)", w.built[0].Dir, err)
	}
	marks, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "hocket", "warm", "*"))
	if len(marks) != 1 {
		t.Errorf("marks are %v, want one", marks)
	}
}
