package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/internal/process"
)

// BreakFromFindingOptions says which finding to turn into breakpoints.
type BreakFromFindingOptions struct {
	Dir string // "" is the current folder
	ID  string // or the start of one
}

// BreakFromFinding writes a breakpoint of kind "schedule" that makes the
// finding happen on the ordinary build, after seeing it do so. A second one of
// the same finding takes the place of the first.
func BreakFromFinding(ctx context.Context, opt BreakFromFindingOptions, progress Progress) (*Break, error) {
	if progress == nil {
		progress = func(Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	s, err := scheduleOf(ctx, opt.Dir, opt.ID, progress)
	if err != nil {
		return nil, err
	}
	root := s.again.env.Module
	if err := breakfile.Writable(root); err != nil { // the proof takes long
		return nil, err
	}
	b, err := s.breakpoint()
	if err != nil {
		return nil, err
	}
	run, err := runSchedule(ctx, s.again.env, b, RunBreaksOptions{N: proofRuns}, progress)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", s.id(), err)
	}
	if lost := run.Breakpoints[0].Lost; lost != "" {
		return nil, fmt.Errorf("finding %s: %s; run hocket find again", s.id(), lost)
	}
	if run.Failed < enoughProof {
		return nil, s.unproved(run.Failed, run.Runs, strings.Join(run.Breakpoints[0].Notes, "; "))
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
	list, err := Breaks(ctx, root, nil)
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
