package recordings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/target"
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
