package engine

import (
	"context"
	"errors"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/target"
)

// BreakFromFindingOptions says which finding to turn into breakpoints.
type BreakFromFindingOptions struct {
	Dir string // "" is the current folder
	ID  string // or the start of one
}

// BreakFromFinding writes a breakpoint of kind "schedule" that makes the
// finding happen on the ordinary build, after seeing it do so.
func BreakFromFinding(ctx context.Context, opt BreakFromFindingOptions, progress Progress) (*Break, error) {
	return nil, errors.New("not built yet")
}

// runSchedule is RunBreaks for one breakpoint of kind "schedule": it finds the
// target that the breakpoint names, and the places in today's texts, plays the
// plan and judges by the schedule's failure. Sides of the result are the
// places that are points. Statements that can't be found are in Lost, and
// nothing is run then. Of the options, N, Plain, Flags, Overlay and Timeout
// count.
func runSchedule(ctx context.Context, env *target.Env, b *breakfile.Breakpoint, opt RunBreaksOptions, progress Progress) (*BreakRun, error) {
	return nil, errors.New("not built yet")
}

var _ = runSchedule
