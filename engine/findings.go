package engine

import (
	"context"

	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/projection/draw"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/whatif"
)

// Findings of a module, as editors show them.
type (
	Module     = stored.Module
	Findings   = stored.Findings
	Stored     = stored.Finding
	LastReplay = stored.LastReplay
	Listed     = stored.Listed
	Outcome    = stored.Outcome        // what later replays and searches say about a finding
	Projection = projection.Projection // the explanation of a finding
	Row        = projection.Row        // a line of its table
)

// Outcomes of replays and searches since a finding was made; see package stored.
const (
	Fails    = stored.Fails
	Passes   = stored.Passes
	Outdated = stored.Outdated
	Fixed    = stored.Fixed
)

// FindModule returns the root of the module that holds a file or folder: the
// nearest one upward that has a go.mod. The file need not exist.
func FindModule(file string) (root string, ok bool) { return stored.FindModule(file) }

// OpenModule returns the module at root, as FindModule names it.
func OpenModule(root string) *Module { return stored.OpenModule(root) }

// List returns the findings of the module around dir, newest first, and an
// error for each file that can't be read.
func List(ctx context.Context, dir string) ([]Listed, []error, error) {
	return stored.List(ctx, dir)
}

// What can be done with one finding.
type (
	ReplayOptions       = stored.ReplayOptions
	Replayed            = stored.Replayed
	ExplainOptions      = stored.ExplainOptions
	ReproductionOptions = stored.TestOptions
	PrintedTest         = stored.PrintedTest
)

// Replay runs the program of a finding under its schedule.
func Replay(ctx context.Context, opt ReplayOptions, tell Progress) (*Replayed, error) {
	return stored.Replay(ctx, opt, tell)
}

// Explain renders the difference between the failing run of a finding and the
// nearest passing one. The note says whether the sources have changed since.
func Explain(ctx context.Context, opt ExplainOptions) (text, note string, err error) {
	return stored.Explain(ctx, opt)
}

// ReproductionTest returns a Go test for the finding's package that
// reproduces the finding with plain go test. It is returned only if it did.
func ReproductionTest(ctx context.Context, opt ReproductionOptions, tell Progress) (*PrintedTest, error) {
	return stored.Test(ctx, opt, tell)
}

// A finding's program under a debugger.
type (
	DebugOptions    = stored.DebugOptions
	Debuggee        = stored.Debuggee
	DebugStop       = stored.DebugStop
	DebugBreakpoint = stored.DebugBreakpoint
)

// PrepareDebug builds the program of a finding for a debugger, and checks that
// it fails under the finding's schedule.
func PrepareDebug(ctx context.Context, opt DebugOptions, tell Progress) (*Debuggee, error) {
	return stored.PrepareDebug(ctx, opt, tell)
}

// The two runs of a finding step by step; see package projection.
type (
	Walk       = projection.Walk
	WalkView   = projection.WalkView
	WalkRange  = projection.WalkRange
	WalkStep   = projection.WalkStep
	WalkSwitch = projection.Switch
)

// ErrNoWalk: a finding can't be shown step by step.
var ErrNoWalk = stored.ErrNoWalk

// WalkOfTable is the walk through the rows of an explanation alone, for findings of which
// the runs were not kept.
func WalkOfTable(p *Projection) *WalkView { return projection.WalkOfTable(p) }

// DrawWalk is a picture of a walk, without colours; see package draw.
func DrawWalk(v *WalkView) string { return draw.Walk(v) }

// What happens without a switch or an order of a finding's failing run.
type (
	WhatIfOptions = whatif.Options
	WhatIfAnswer  = whatif.Answer
)

// WhatIf runs the program of a finding without one of its switches or orders.
func WhatIf(ctx context.Context, opt WhatIfOptions, tell Progress) (*WhatIfAnswer, error) {
	return whatif.Ask(ctx, opt, tell)
}
