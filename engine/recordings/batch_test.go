package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/engine/traces"
)

// What a batch has kept is in the database and not in the memory, and no run is kept
// twice; those that failed are shown.
func TestBatch(t *testing.T) {
	module := t.TempDir()
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module m\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rec := &report.Recorded{}
	b := &batch{p: &pathRecorder{recorder: &recorder{report: rec}, env: &target.Env{Dir: module}}}
	for i := range 5 {
		outcome := tracedb.Passed
		if i%2 == 1 {
			outcome = paths.Failed
		}
		b.add(&paths.Recorded{Run: &tracedb.Run{
			Program: &tracedb.Program{Package: "m", Entry: "TestX", Mode: Paths, Content: "c"}, Outcome: outcome, Time: time.Unix(int64(i), 0).UTC(),
			Threads: []tracedb.Thread{{Name: "0", Site: "m.TestX", Tokens: []uint64{1, 2, 3}}},
		}}, &report.RecordedRun{ID: fmt.Sprint(i)})
		if b.outcomes != 3*(i%2+1) {
			t.Errorf("%d outcomes held after run %d", b.outcomes, i)
		}
		if i%2 == 1 {
			if err := b.keep(t.Context()); err != nil || len(b.runs) > 0 || b.outcomes > 0 || len(b.shown) > 0 {
				t.Fatalf("kept: %+v, %v", b, err)
			}
		}
	}
	for range 2 { // the second time there is nothing left
		if err := b.keep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(module, "all")
	n, err := traces.Of(module).Export(t.Context(), file, traces.Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n != 5 || len(rec.Runs) != 2 {
		t.Errorf("%d exported, %d shown", n, len(rec.Runs))
	}
}
