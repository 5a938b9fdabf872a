package present

import (
	"testing"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

// A miss at a level that the finding never reached does not look as if it were gone.
func TestReplayedAtALevel(t *testing.T) {
	controlled := report.Finding{Replay: report.Count{Runs: 100, Failed: 100}, Confirmed: report.Controlled, Native: &report.Count{Runs: 100}}
	native := controlled
	native.Native = &report.Count{Runs: 100, Failed: 30}
	for _, c := range []struct {
		f            report.Finding
		last         *engine.LastReplay
		failed, runs int
	}{
		{controlled, nil, 100, 100},
		{controlled, &engine.LastReplay{Level: "native", Runs: 5}, 100, 100},
		{controlled, &engine.LastReplay{Level: "native", Runs: 5, Failed: 1}, 1, 5},
		{controlled, &engine.LastReplay{Level: "pinned", Runs: 5}, 100, 100},
		{controlled, &engine.LastReplay{Level: "controlled", Runs: 5}, 0, 5},
		{native, &engine.LastReplay{Level: "native", Runs: 5}, 0, 5},
	} {
		it := &Item{Known: Known{Stored: &engine.Stored{Finding: &c.f, Last: c.last}}, Now: true}
		if failed, runs := it.Replayed(); failed != c.failed || runs != c.runs {
			t.Errorf("%+v: %d/%d, want %d/%d", c.last, failed, runs, c.failed, c.runs)
		}
	}
}
