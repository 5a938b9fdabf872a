package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// BreakDebugOptions says what to debug with the concurrent breakpoints of the
// module.
type BreakDebugOptions struct {
	Dir      string   // "" is the current folder
	Patterns []string // one package; none is "."
	Run      string   // as go test -run; "" is the whole test binary, as go test
	Args     []string // of the program
	Flags    Flags
	IDs      []string // breakpoints to use; none is all that are not off
	// Overlay is as FindOptions.Overlay.
	Overlay map[string]string
}

// BreakDebuggee is a program with concurrent breakpoints, ready to be started
// by a debugger. Close it when the debugger has ended.
type BreakDebuggee struct {
	Package string
	Entry   string // "main", "TestX", "" for all tests
	Program string // path of the executable
	Args    []string
	Dir     string
	Env     []string // added to the environment: NAME=value
	Breaks  []DebugBreak
	Notes   []string // lines that people should know
}

// DebugBreak is one breakpoint in the program.
type DebugBreak struct {
	Number int    // by which the program knows it
	ID     string // "b1"
	Sides  []DebugSide
	Order  []int // of the sides' release, from 1
}

// String is "b1: side 1 at a.go:12 (goes first), side 2 at b.go:40".
func (b DebugBreak) String() string {
	var all []string
	for i, s := range b.Sides {
		text := fmt.Sprintf("side %d at %s:%d", i+1, filepath.Base(s.File), s.Line)
		if b.Order[0] == i+1 {
			text += " (goes first)"
		}
		all = append(all, text)
	}
	return b.ID + ": " + strings.Join(all, ", ")
}

// DebugSide is the statement of one side.
type DebugSide struct {
	File   string // absolute, as the debugger shows it
	Line   int
	Column int
}

// Outcome says, a line each, which breakpoints were hit in the run that has
// ended and, of the others, who came.
func (d *BreakDebuggee) Outcome() []string { return nil }

// Close removes what the program needs to run.
func (d *BreakDebuggee) Close() {}

// PrepareBreakDebug builds the program with the module's breakpoints, for a
// debugger: variables of the user's packages are there to see.
func PrepareBreakDebug(ctx context.Context, opt BreakDebugOptions, progress Progress) (*BreakDebuggee, error) {
	return nil, errors.New("break run -debug is not built yet")
}
