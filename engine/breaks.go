package engine

import (
	"context"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/breaks"
)

// Concurrent breakpoints of a module, and what runs with them showed.
type (
	Break                   = breaks.Break
	BreakSide               = breaks.Side
	BreakLast               = breaks.Last
	AddBreakOptions         = breaks.AddOptions
	EditBreakOptions        = breaks.EditOptions
	BreakFromFindingOptions = breaks.FromFindingOptions
	RunBreaksOptions        = breaks.RunOptions
	BreakRun                = breaks.Ran
	BreakFailure            = breaks.Failure
	BreakStat               = breaks.Stat
	PlainRuns               = breaks.PlainRuns
	RunTime                 = breaks.RunTime
	BreakDebugOptions       = breaks.DebugOptions
	BreakDebuggee           = breaks.Debuggee
	DebugBreak              = breaks.DebugBreak
	DebugSide               = breaks.DebugSide
)

// BreakList is the breakpoints of a module, by id.
type BreakList = breaks.Breaks

// Breaks lists the breakpoints of the module around dir, with the places where
// their statements are now. overlay holds unsaved texts, by absolute path.
func Breaks(ctx context.Context, dir string, overlay map[string]string) (*BreakList, error) {
	return breaks.List(ctx, dir, overlay)
}

// AddBreak sets a breakpoint. Nothing is written if anything in it is wrong.
func AddBreak(ctx context.Context, o AddBreakOptions) (*Break, error) { return breaks.Add(ctx, o) }

// EditBreak changes a breakpoint.
func EditBreak(ctx context.Context, o EditBreakOptions) (*Break, error) { return breaks.Edit(ctx, o) }

// RemoveBreak removes a breakpoint.
func RemoveBreak(ctx context.Context, dir, id string) error { return breaks.Remove(ctx, dir, id) }

// BreakFromFinding writes a breakpoint that reproduces a finding on the
// ordinary build. It checks that it does before it writes it.
func BreakFromFinding(ctx context.Context, opt BreakFromFindingOptions, tell Progress) (*Break, error) {
	return breaks.FromFinding(ctx, opt, tell)
}

// RunBreaks builds the program with the module's breakpoints and runs it. If it
// is cancelled after the first run, it returns the result so far, with Cut set.
func RunBreaks(ctx context.Context, opt RunBreaksOptions, tell Progress) (*BreakRun, error) {
	return breaks.Run(ctx, opt, tell)
}

// PrepareBreakDebug builds the program with the module's breakpoints, for a
// debugger.
func PrepareBreakDebug(ctx context.Context, opt BreakDebugOptions, tell Progress) (*BreakDebuggee, error) {
	return breaks.PrepareDebug(ctx, opt, tell)
}

// ReadTexts reads the texts of a file as go build -overlay takes it, for the
// Overlay of AddBreakOptions and EditBreakOptions, and for Breaks.
func ReadTexts(file string) (map[string]string, error) { return breaks.ReadTexts(file) }

// BreakKind says what a kind of breakpoint means.
type BreakKind = breakfile.KindDoc

// BreakKinds are the kinds of breakpoints that users may choose.
func BreakKinds() []string { return breakfile.Kinds() }

// BreakKindDocs says what each kind of breakpoint means.
func BreakKindDocs() []BreakKind { return breaks.KindDocs() }
