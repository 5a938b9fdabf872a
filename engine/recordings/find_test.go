package recordings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// A run of which only paths were recorded is known by the beginning of its id, and in an
// exported file; Last names it if it failed, and no other failed later.
func TestRecordedPaths(t *testing.T) {
	module := t.TempDir()
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module m\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	of := func(outcome string, at int64) *tracedb.Run {
		return &tracedb.Run{Program: &tracedb.Program{Package: "m", Entry: "TestX", Mode: Paths, Content: "c"}, Outcome: outcome, Time: time.Unix(at, 0).UTC(),
			Threads: []tracedb.Thread{{Name: "0", Site: "m.TestX", Tokens: []uint64{1}}}}
	}
	early, late, passed := of("failed", 1), of("failed", 2), of(tracedb.Passed, 3)
	if err := traces.Of(module).Add(t.Context(), []*tracedb.Run{late, early, passed}); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(module, "one")
	if _, err := traces.Of(module).Export(t.Context(), one, traces.Filter{Failed: true, Since: late.Time}, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]*tracedb.Run{early.ID().String()[:8]: early, passed.ID().String(): passed, Last: late, one: late, "zz": nil, "none" + record.Ending: nil} {
		got, err := recordedPaths(t.Context(), module, name)
		if err != nil || (got == nil) != (want == nil) || want != nil && got.ID != want.ID() {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	both := filepath.Join(module, "both")
	if _, err := traces.Of(module).Export(t.Context(), both, traces.Filter{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := recordedPaths(t.Context(), module, both); err == nil || !strings.Contains(err.Error(), "has 2 runs") {
		t.Errorf("two failed runs in a file: %v", err)
	}
	run := &record.Run{ID: "x", Outcome: record.Failed, Started: time.Unix(9, 0), Package: "m", Entry: "TestX"}
	dir := folders(module)[0]
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Save(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := recordedPaths(t.Context(), module, Last); err != nil || got != nil {
		t.Errorf("a newer run with its order: %+v, %v", got, err)
	}
}
