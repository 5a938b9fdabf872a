package recordings

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/target"
)

// What came of following a run is reported also where no time is left to search.
func TestNothingLeftToSearch(t *testing.T) {
	rec := &report.Recording{Run: "r1", Runs: 100, Failed: 98}
	rep, err := searched(context.Background(), session.Options{Dir: t.TempDir(), Budget: time.Nanosecond}, &target.Target{Package: "m", Entry: "TestA"}, rec, nil)
	if err != nil || rep.Recorded != rec || len(rep.Targets) != 1 || rep.Targets[0].Status != report.NotReached {
		t.Errorf("got %+v, %v", rep, err)
	}
}
