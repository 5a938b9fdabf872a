// Package breaks keeps the concurrent breakpoints of a module, and runs
// programs with them: it finds their statements in the current texts, checks
// them, lets package inject build and run the program, and reports what the
// runs showed.
//
// Invariants:
//   - The breakpoints file changes only if all of a change is right.
//   - A statement that can't be found is reported as lost; a breakpoint never
//     moves to another statement by itself.
//   - A breakpoint made from a finding is written only after the ordinary build
//     has failed under it.
package breaks

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
)

// Break is a concurrent breakpoint with where its sides are now.
type Break struct {
	*breakfile.Breakpoint
	Sides []Side
	Last  *Last // nil if it was never run here
	// Wrong says why the breakpoint is invalid, in one line, "" for a
	// breakpoint that can be run: "timeout 0s must be above zero".
	Wrong string
}

// Side is one side of a breakpoint, in the texts as they are now.
type Side struct {
	Place    breakfile.Place
	Path     string // absolute, of the file that it is in now; "" if that is not known
	Location breakfile.Location
	Lost     string // why it can't be found, "" if it is found

	file string // name of Path, as in findings
}

// File is the name of the file that the side is in now, as in findings.
func (s *Side) File() string {
	if s.file == "" {
		return s.Place.File
	}
	return s.file
}

// MarksStart reports whether the side marks a place where a goroutine is
// started, by which a schedule tells goroutines apart; no goroutine waits
// there.
func (s *Side) MarksStart() bool {
	return s.Place.Point != nil && s.Place.Point.Kind == string(points.Spawn)
}

// Last is the result of the newest runs with a breakpoint.
type Last struct {
	When   time.Time `json:"when"`
	Runs   int       `json:"runs"`
	Hits   int       `json:"hits"` // runs in which it was hit
	Failed int       `json:"failed"`
}

// Breaks is the breakpoints of a module, by id.
type Breaks struct {
	Root   string // of the module
	Breaks []*Break
}

// AddOptions says what breakpoint to set.
type AddOptions struct {
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
	Flags       target.Flags
	// Overlay holds unsaved texts, by absolute path.
	Overlay map[string]string
}

// EditOptions says what to change in a breakpoint; nil leaves a field as it is.
type EditOptions struct {
	Dir, ID     string
	If, Timeout *string // "" removes it
	Kind, Note  *string
	Order       *[]int // empty is 1..n
	Off         *bool
	IgnoreFirst *int
	AtMost      *int
	// Accept accepts statements whose text has changed.
	Accept  bool
	Flags   target.Flags
	Overlay map[string]string // as in AddOptions
}

// Add sets a breakpoint. Nothing is written if a place, or anything else in it,
// is invalid. It runs the go command only for a condition, and for a place
// outside the module.
func Add(ctx context.Context, o AddOptions) (*Break, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	root, err := moduleOf(o.Dir)
	if err != nil {
		return nil, err
	}
	b := &breakfile.Breakpoint{Kind: o.Kind, If: strings.TrimSpace(o.If), Order: o.Order, Timeout: o.Timeout,
		IgnoreFirst: o.IgnoreFirst, AtMost: o.AtMost, Note: o.Note}
	if b.Kind == "" {
		b.Kind = breakfile.Conflict
	}
	if err := firstFault(withPlaces(b, len(o.Places)).Check(), nil); err != nil {
		return nil, err
	}
	w := newWorkspace(root, o.Dir, o.Flags, o.Overlay)
	out := &Break{Breakpoint: b}
	for _, arg := range o.Places {
		side, err := w.side(ctx, arg)
		if err != nil {
			return nil, err
		}
		b.Places = append(b.Places, side.Place)
		out.Sides = append(out.Sides, *side)
	}
	if err := w.checkCondition(ctx, b.If, out.Sides); err != nil {
		return nil, err
	}
	err = updateBreaks(root, func(f *breakfile.File) error {
		f.Add(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	forgetLast(root, b.ID) // of one that was removed from the file by hand
	return out, nil
}

// List returns the breakpoints of the module that contains dir, and where they
// are in the current texts; overlay holds unsaved texts, by absolute path. An
// invalid one is listed with the others, and has Wrong set. List runs no
// process and writes nothing.
func List(ctx context.Context, dir string, overlay map[string]string) (*Breaks, error) {
	root, err := moduleOf(dir)
	if err != nil {
		return nil, err
	}
	f, err := breakfile.Read(root)
	if err != nil {
		return nil, err
	}
	w := newWorkspace(root, dir, target.Flags{}, overlay)
	last := lastBreaks(root)
	list := &Breaks{Root: root}
	faults := f.Check()
	for i, b := range f.Breakpoints {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list.Breaks = append(list.Breaks, &Break{Breakpoint: b, Sides: w.find(b), Last: last[b.ID], Wrong: invalidity(b, faults[i])})
	}
	return list, nil
}

// Edit changes a breakpoint. Statements of its sides that are found unchanged
// get fingerprints of the current text.
func Edit(ctx context.Context, o EditOptions) (*Break, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	root, err := moduleOf(o.Dir)
	if err != nil {
		return nil, err
	}
	f, err := breakfile.Read(root)
	if err != nil {
		return nil, err
	}
	b, err := breakOf(f, o.ID, root)
	if err != nil {
		return nil, err
	}
	if b.Kind == breakfile.Scheduled && (o.Kind != nil || o.If != nil || o.Order != nil) {
		return nil, fmt.Errorf("breakpoint %s plays the schedule of finding %s, which has no kind, condition or order to choose; set another one with hocket break add L1 L2", b.ID, findingOf(b))
	}
	before := b.Check()
	o.apply(b)
	if err := firstFault(b.Check(), before); err != nil {
		return nil, err
	}
	w := newWorkspace(root, o.Dir, o.Flags, o.Overlay)
	sides := w.find(b)
	if o.If != nil {
		if err := w.checkCondition(ctx, b.If, sides); err != nil {
			return nil, err
		}
	}
	renewed := w.renew(b, sides, o.Accept)
	err = updateBreaks(root, func(f *breakfile.File) error {
		now, err := breakOf(f, o.ID, root)
		if err != nil {
			return err // removed meanwhile
		}
		o.apply(now) // other changes that were made meanwhile stay
		if len(now.Places) == len(renewed) {
			now.Places = renewed
		}
		b = now
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &Break{Breakpoint: b, Sides: w.find(b), Last: lastBreaks(root)[b.ID], Wrong: invalidity(b, b.Check())}, nil
}

func findingOf(b *breakfile.Breakpoint) string {
	if b.Schedule == nil {
		return "?"
	}
	return b.Schedule.Finding
}

// apply makes the changes.
func (o *EditOptions) apply(b *breakfile.Breakpoint) {
	set(&b.If, o.If)
	b.If = strings.TrimSpace(b.If)
	set(&b.Timeout, o.Timeout)
	set(&b.Kind, o.Kind)
	set(&b.Note, o.Note)
	set(&b.Off, o.Off)
	set(&b.IgnoreFirst, o.IgnoreFirst)
	set(&b.AtMost, o.AtMost)
	if o.Order != nil {
		b.Order = slices.Clone(*o.Order)
	}
}

func set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// Remove removes a breakpoint, and its last result.
func Remove(_ context.Context, dir, id string) error {
	root, err := moduleOf(dir)
	if err != nil {
		return err
	}
	if f, err := breakfile.Read(root); err != nil {
		return err
	} else if _, err := breakOf(f, id, root); err != nil {
		return err // without making a folder
	}
	err = updateBreaks(root, func(f *breakfile.File) error {
		_, err := breakOf(f, id, root)
		f.Remove(id)
		return err
	})
	if err == nil {
		forgetLast(root, id)
	}
	return err
}

// forgetLast drops the last result of a breakpoint. Where that fails an old
// one stays.
func forgetLast(root, id string) {
	if lastBreaks(root)[id] != nil {
		_ = keepLastBreaks(root, map[string]*Last{id: nil})
	}
}

func moduleOf(dir string) (string, error) {
	root, ok := stored.FindModule(dir)
	if !ok {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("folder %s: %w", dir, err)
		}
		return "", fmt.Errorf("%s is not inside a Go module; run hocket in a module, or make one with: go mod init NAME", abs)
	}
	return root, nil
}

// updateBreaks changes the module's breakpoints file, in the state folder that
// the store makes.
func updateBreaks(root string, change func(*breakfile.File) error) error {
	if _, err := store.Open(root); err != nil {
		return err
	}
	return breakfile.Update(root, change)
}
