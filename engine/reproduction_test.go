package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// TestReproductionInterrupted: who interrupts hocket test while it runs the test
// is told so, not that the finding is at fault.
func TestReproductionInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir := t.TempDir()
	testmodule.Write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26\n")
	testmodule.Write(t, filepath.Join(dir, "m_test.go"), `package m

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestX(t *testing.T) {
	var x atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { v := x.Load(); x.Store(v + 1) })
	}
	wg.Wait()
	if x.Load() != 2 {
		t.Fatal("x is", x.Load())
	}
}
`)
	rep, err := Find(t.Context(), FindOptions{Dir: dir, Budget: 5 * time.Minute}, nil)
	if err != nil || len(rep.Findings) == 0 {
		t.Fatal(rep, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = ReproductionTest(ctx, ReproductionOptions{Dir: dir, ID: rep.Findings[0].ID}, func(u progress.Update) {
		if u.Phase == progress.Replaying {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
