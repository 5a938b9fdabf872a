package process

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// TestNothingLeft: a run that can't be made leaves no run file, which is memory,
// whatever fails.
func TestNothingLeft(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	p, err := New(&instrument.Binary{Path: missing, Target: instrument.Target{Dir: t.TempDir()}}, site.NewIndex(missing))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	for _, hot := range [][]string{nil, {"m.f#1/1,1/1 m.g+1"}, {"not a site"}} {
		if _, err := p.Run(t.Context(), run.Spec{Schedule: trace.Schedule{Hot: hot}}); err == nil {
			t.Errorf("%q: a missing program ran", hot)
		}
		if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
			t.Errorf("%q: left %v, %v", hot, left, err)
		}
	}
}
