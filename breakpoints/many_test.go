package breakpoints

import (
	"testing"
	"time"
)

// A program whose every step is a side gets on: what pauses at one breakpoint
// is no reason to pause at another.
func TestManyInOneLoop(t *testing.T) {
	var all []*Breakpoint
	for range 50 {
		all = append(all, on(t, Timeout(4*time.Millisecond)))
	}
	begin := time.Now()
	for range 200 {
		for _, b := range all {
			b.Here(1)
		}
		time.Sleep(time.Millisecond)
	}
	pauses := 0
	for _, b := range all {
		pauses += b.Stat().Postponed[0]
	}
	if pauses < len(all) || pauses > 2000 {
		t.Errorf("%d pauses of %d visits", pauses, 200*len(all))
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
