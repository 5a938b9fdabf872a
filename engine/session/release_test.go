package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
)

// TestReportedIsKept: whenever the end comes while findings are released, those
// in the report are in the store, and none comes after it.
func TestReportedIsKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	st, err := store.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	releases, before := 0, 0
	for round := range 40 {
		s := newSession(Options{}, nil)
		s.env, s.store, s.stored = &target.Env{Module: root}, st, st.Cache()
		s.plan([]target.Target{{Package: "m", Entry: "TestX", Dir: root}})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 4 {
				s.Release(&hunt.Found{Job: s.jobs[0], Caught: &search.Finding{},
					Finding: &report.Finding{ID: fmt.Sprintf("%04d%04d", round, i), Package: "m", Entry: "TestX"}})
			}
		}()
		time.Sleep(time.Duration(round) * 200 * time.Microsecond) // another moment of the work each time
		s.releaseHeld()
		rep := s.snapshot()
		for _, f := range rep.Findings {
			if _, err := store.OpenRead(root).Get(f.ID); err != nil {
				t.Errorf("round %d: reported, and not kept: %v", round, err)
			}
		}
		<-done
		if again := s.snapshot(); len(again.Findings) != len(rep.Findings) {
			t.Errorf("round %d: %d findings were released after the report was taken", round, len(again.Findings)-len(rep.Findings))
		}
		releases += 4
		before += len(rep.Findings)
	}
	if before == 0 || before == releases {
		t.Logf("the end never came between: %d of %d", before, releases)
	}
}
