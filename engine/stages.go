package engine

import (
	"context"
	"sync"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// stages are the parts of the pipeline that start compilers, and the programs
// that they make. What the pipeline does with them is tested with others than
// the real ones.
type stages interface {
	// build makes the controlled program of a target.
	build(ctx context.Context, t target.Target, flags target.Flags) (run.Runner, error)
	// native and pinned run other builds of the target under the order of the
	// failing run, n times, and count equal failures.
	native(ctx context.Context, e evidence, n int) (*trial, error)
	pinned(ctx context.Context, e evidence, n int) (*trial, error)
	close()
}

// evidence is what other builds need to know of a failing run.
type evidence struct {
	Target   target.Target
	Flags    target.Flags
	Fail     *trace.Trace
	Schedule trace.Schedule
	Same     func(*run.Result) bool
	Message  string
}

// trial is how often a build failed in the same way.
type trial struct {
	Count    report.Count
	Baseline *report.Count // the same build without an order
	Note     string        // why it could not be done, or why it is weak
	Output   string        // of the last run that failed
}

// counter counts the processes of a target and tells their runs apart.
type counter struct {
	run.Runner
	mu     sync.Mutex
	runs   int
	hashes map[uint64]bool
}

// blindOf lists the calls of a program whose accesses no trace holds.
func blindOf(r run.Runner) []string {
	if b, ok := r.(interface{ Blind() []string }); ok {
		return b.Blind()
	}
	return nil
}

func (c *counter) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	r, err := c.Runner.Run(ctx, spec)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	if r != nil {
		c.hashes[r.Hash] = true
	}
	return r, err
}

func (c *counter) counts() (runs, distinct int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs, len(c.hashes)
}
