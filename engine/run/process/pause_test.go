package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
)

// A run stands still where it is asked to, as long as it is looked at, and not after; one
// that does not come there says so.
func TestPause(t *testing.T) {
	p := program(t, buildPlans(t, "ops"), "TestLocks")
	spec := run.Spec{Strategy: run.Replay, Record: run.Full}
	tr := full(t, p, spec)
	e := tr.Events[len(tr.Events)/2]
	g := tr.Goroutine(e.G).Key
	looked := 0
	err := p.Pause(t.Context(), spec, g, max(e.Count, 1)-1, func(_ context.Context, pid int) error {
		looked = pid
		_, err := os.Stat(fmt.Sprintf("/proc/%d/stat", pid))
		return err
	})
	if err != nil || looked == 0 {
		t.Fatalf("process %d: %v", looked, err)
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/stat", looked)); err == nil {
		t.Error("the process goes on")
	}
	err = p.Pause(t.Context(), spec, g, 1<<30, func(context.Context, int) error { return nil })
	if !errors.Is(err, process.ErrNotReached) {
		t.Errorf("a point that is not reached gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Pause(ctx, spec, g, 0, func(context.Context, int) error { return nil }); err == nil {
		t.Error("a cancelled run stood still")
	}
}
