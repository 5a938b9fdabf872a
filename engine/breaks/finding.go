package breaks

import (
	"context"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/internal/process"
)

// FromFindingOptions says which finding to turn into breakpoints.
type FromFindingOptions struct {
	Dir string // "" is the current folder
	ID  string // or the start of one
}

// FromFinding writes a breakpoint of kind "schedule" that reproduces the
// finding on the ordinary build. It checks that it does before it writes it. A
// second one of the same finding replaces the first.
func FromFinding(ctx context.Context, opt FromFindingOptions, tell progress.Func) (*Break, error) {
	if tell == nil {
		tell = func(progress.Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	s, err := stored.OrderOf(ctx, opt.Dir, opt.ID, tell)
	if err != nil {
		return nil, err
	}
	root := s.Opened.Env.Module
	if err := breakfile.Writable(root); err != nil { // the proof takes long
		return nil, err
	}
	b, err := s.Breakpoint()
	if err != nil {
		return nil, err
	}
	run, err := runSchedule(ctx, s.Opened.Env, b, RunOptions{N: stored.ProofRuns, Flags: s.Opened.Record.Flags}, tell)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", s.ID(), err)
	}
	if lost := run.Breakpoints[0].Lost; lost != "" {
		return nil, fmt.Errorf("finding %s: %s; run hocket find again", s.ID(), lost)
	}
	if run.Failed < stored.EnoughProof {
		return nil, s.Unproved(run.Failed, run.Runs, strings.Join(run.Breakpoints[0].Notes, "; "))
	}
	err = updateBreaks(root, func(f *breakfile.File) error {
		for i, old := range f.Breakpoints {
			if old.Schedule != nil && old.Schedule.Finding == b.Schedule.Finding {
				b.ID = old.ID
				f.Breakpoints[i] = b
				return nil
			}
		}
		f.Add(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	list, err := List(ctx, root, nil)
	if err != nil {
		return nil, err
	}
	for _, x := range list.Breaks {
		if x.ID == b.ID {
			return x, nil
		}
	}
	return nil, fmt.Errorf("breakpoint %s was removed while it was written", b.ID)
}
