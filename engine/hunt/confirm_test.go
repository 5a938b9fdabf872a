package hunt

import (
	"runtime"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

// How many replays fit into the time depends on how many run side by side.
func TestAffordable(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for procs, want := range map[int]int{1: 25, 3: 75} {
		runtime.GOMAXPROCS(procs)
		c := &confirmation{until: time.Now().Add(time.Second),
			simple: &reduce.Simplified{Result: &run.Result{Duration: 20 * time.Millisecond}}}
		if n := c.affordable(2); n > want || n < want*9/10 {
			t.Errorf("%d processors: %d replays of 20 ms in half a second, want %d", procs, n, want)
		}
	}
}

// What fails by itself, or whenever its order is enforced, fails natively.
func TestDecidesNatively(t *testing.T) {
	count := func(failed int) report.Count { return report.Count{Runs: 100, Failed: failed} }
	for name, c := range map[string]struct {
		t    ladder.Trial
		want bool
	}{
		"by itself":                  {ladder.Trial{Count: count(0), Baseline: &report.Count{Runs: 10, Failed: 1}}, true},
		"whenever enforced":          {ladder.Trial{Count: count(60), Played: 60, Baseline: &report.Count{Runs: 10}}, true},
		"enforced, often in vain":    {ladder.Trial{Count: count(60), Played: 100}, false},
		"failures without the order": {ladder.Trial{Count: count(60), Played: 40, Unplayed: 60}, false},
		"enforced too seldom":        {ladder.Trial{Count: count(5), Played: 5}, false},
	} {
		if got := decidesNatively(&c.t); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestAfterTests: why a binary failed whose tests passed is what it printed then.
func TestAfterTests(t *testing.T) {
	for out, want := range map[string]string{
		"--- PASS: TestX (0.00s)\nPASS\ngoleak: Errors on successful test run: found unexpected goroutines:\n[Goroutine 12]\n": ": goleak: Errors on successful test run: found unexpected goroutines",
		"PASS\n":            "",
		"--- FAIL: TestX\n": "",
		"cleaning up\nPASS\n\ncould not clean up\n": ": could not clean up",
	} {
		if got := afterTests(out); got != want {
			t.Errorf("%q: got %q, want %q", out, got, want)
		}
	}
}

// A finding has as many switches as the step-by-step view of its run.
func TestSwitchesOfAFinding(t *testing.T) {
	f := hunt(t, sim.LostUpdate(3, 2)).last
	if f == nil || f.Fail == nil || f.Finding.Schedule.Switches == 0 {
		t.Fatalf("found %+v", f)
	}
	if got, want := f.Finding.Schedule.Switches, projection.NewWalk(projection.WalkInput{Fail: f.Fail, Pass: f.Pass}).View(nil).Made; got != want {
		t.Errorf("the finding has %d switches, its steps %d", got, want)
	}
}
