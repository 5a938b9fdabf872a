package hunt

import (
	"runtime"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/run"
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
