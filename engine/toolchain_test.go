package engine

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/target"
)

// TestBuildsDontMix: a program that is being searched stays what it was when
// another hocket builds the same target from changed sources.
func TestBuildsDontMix(t *testing.T) {
	skipShort(t)
	m := newUnsaved(t, gomod+"-- main.go --\npackage main\n\nfunc main() { println(\"before\") }\n", nil)
	env, err := target.LoadEnv(t.Context(), m.dir)
	if err != nil {
		t.Fatal(err)
	}
	targets, _, err := target.Discover(t.Context(), env, target.Query{})
	if err != nil {
		t.Fatal(err)
	}
	open := func() replay.Runner {
		tc, err := newBuilds(env)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tc.close)
		r, err := tc.build(t.Context(), targets[0], target.Flags{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := open()
	m.write("main.go", "package main\n\nfunc main() { println(\"after\") }\n")
	second := open()
	for want, r := range map[string]replay.Runner{"before": first, "after": second} {
		res, err := r.Run(t.Context(), replay.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(res.Outcome.Output); got != want {
			t.Errorf("the program says %q, want %q", got, want)
		}
	}
}
