package recordings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/engine/traces"
)

// Runs of a module whose folder can't be written are found where they were put.
func TestFindsInTheStandIn(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	module := t.TempDir()
	if err := os.WriteFile(filepath.Join(module, ".hocket"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	dir, err := runsFolder(&target.Env{Module: module})
	if err != nil {
		t.Fatal(err)
	}
	run := &record.Run{ID: "20260102-030405.000-abcdef", Package: "m", Entry: "TestX", Outcome: record.Failed, Failure: "boom"}
	if _, err := run.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Last, run.ID, run.ID + record.Ending} {
		if r, err := Find(module, name); err != nil || r.Failure != "boom" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// A run of which only paths were recorded is told as such, and not as one that isn't there.
func TestFromARunOfPaths(t *testing.T) {
	module := t.TempDir()
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module m\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := &tracedb.Run{Program: &tracedb.Program{Package: "m", Entry: "TestX", Mode: Paths, Content: "c"}, Outcome: tracedb.Passed,
		Threads: []tracedb.Thread{{Name: "0", Site: "m.TestX", Tokens: []uint64{1}}}}
	if err := traces.Of(module).Add(t.Context(), []*tracedb.Run{run}); err != nil {
		t.Fatal(err)
	}
	id := run.ID().String()
	if err := pathsOnly(t.Context(), module, id[:8]); err == nil || !strings.Contains(err.Error(), "only the paths") {
		t.Errorf("%s: %v", id, err)
	}
	for _, name := range []string{Last, "zz"} {
		if err := pathsOnly(t.Context(), module, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
