package build

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// TestBuildsDontMix: a program that is being searched stays what it was when
// another hocket builds the same target from changed sources.
func TestBuildsDontMix(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := testmodule.New(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- main.go --\npackage main\n\nfunc main() { println(\"before\") }\n")
	env, err := target.LoadEnv(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	targets, _, err := target.Discover(t.Context(), env, target.Query{})
	if err != nil {
		t.Fatal(err)
	}
	open := func() run.Runner {
		d, err := New(env)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		r, err := d.Runner(t.Context(), targets[0], target.Flags{}, Control)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := open()
	testmodule.Write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { println(\"after\") }\n")
	second := open()
	for want, r := range map[string]run.Runner{"before": first, "after": second} {
		res, err := r.Run(t.Context(), run.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(res.Outcome.Output); got != want {
			t.Errorf("the program says %q, want %q", got, want)
		}
	}
}

// TestTestsOfAPackage: they have one binary, of which what is read is kept once.
func TestTestsOfAPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := testmodule.New(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- m_test.go --\npackage m\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\nfunc TestB(*testing.T) {}\n")
	env, err := target.LoadEnv(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	targets, _, err := target.Discover(t.Context(), env, target.Query{})
	if err != nil || len(targets) != 2 {
		t.Fatal(targets, err)
	}
	d, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	runner := func(tg target.Target, mode Mode) *process.Runner {
		r, err := d.Runner(t.Context(), tg, target.Flags{}, mode)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := runner(targets[0], Control), runner(targets[1], Control)
	if a.Binary().Path != b.Binary().Path || a.Index() != b.Index() {
		t.Error("two tests of a package share no binary or no index")
	}
	if p := runner(targets[0], Pinned); p.Index() == a.Index() {
		t.Error("two binaries share an index")
	}
}

// TestPrune: what nobody builds again goes first.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{
		"m-0123456789ab": 2 * 24 * time.Hour, "m.test-0123456789ab": 4 * 24 * time.Hour,
		"m-unsaved-0123456789ab": 13 * time.Hour, "m.test-unsaved-0123456789ab~x": time.Hour,
	} {
		path := filepath.Join(dir, name)
		then := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o777), os.Chtimes(path, then, then)); err != nil {
			t.Fatal(err)
		}
	}
	prune(dir)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	want := []string{filepath.Join(dir, "m-0123456789ab"), filepath.Join(dir, "m.test-unsaved-0123456789ab~x")}
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left %v, %v", left, err)
	}
}
