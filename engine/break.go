package engine

import (
	"context"
	"errors"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
)

// Break is a concurrent breakpoint with where its sides are now.
type Break struct {
	*breakfile.Breakpoint
	Sides []BreakSide
	Last  *BreakLast // nil if it was never run here
}

// BreakSide is one side of a breakpoint, in the texts as they are now.
type BreakSide struct {
	Place    breakfile.Place
	Path     string // absolute, of the file that it is in now; "" if that can't be told
	Location breakfile.Location
	Lost     string // why it can't be found, "" if it is found
}

// BreakLast is the result of the newest runs with a breakpoint.
type BreakLast struct {
	When   time.Time `json:"when"`
	Runs   int       `json:"runs"`
	Hits   int       `json:"hits"` // runs in which it was hit
	Failed int       `json:"failed"`
}

// BreakList is the breakpoints of a module.
type BreakList struct {
	Root   string // of the module
	Breaks []*Break
}

// AddBreakOptions says what breakpoint to set.
type AddBreakOptions struct {
	Dir    string   // "" is the current folder; relative places start here
	Places []string // "file.go:LINE" or "file.go:LINE:COLUMN", side 1 first
	Kind   string   // "" is "conflict"
	If     string
	Order  []int
	// Timeout of a pause, as Go writes durations; "" is the default.
	Timeout     string
	IgnoreFirst int
	AtMost      int
	Note        string
	Flags       Flags
	// Overlay are texts that are not saved, by absolute path.
	Overlay map[string]string
}

// EditBreakOptions says what to change in a breakpoint; nil leaves it.
type EditBreakOptions struct {
	Dir, ID     string
	If, Timeout *string
	Kind, Note  *string
	Order       *[]int
	Off         *bool
	IgnoreFirst *int
	AtMost      *int
	Flags       Flags
	Overlay     map[string]string
}

// AddBreak sets a breakpoint.
func AddBreak(ctx context.Context, o AddBreakOptions) (*Break, error) {
	return nil, errors.New("not built yet")
}

// Breaks lists the breakpoints of the module that holds dir, and where they
// are in the texts of now. It runs no process and writes nothing.
func Breaks(ctx context.Context, dir string, overlay map[string]string) (*BreakList, error) {
	return nil, errors.New("not built yet")
}

// EditBreak changes a breakpoint, and takes the present texts of its sides for
// its fingerprints.
func EditBreak(ctx context.Context, o EditBreakOptions) (*Break, error) {
	return nil, errors.New("not built yet")
}

// RemoveBreak removes a breakpoint.
func RemoveBreak(ctx context.Context, dir, id string) error { return errors.New("not built yet") }
