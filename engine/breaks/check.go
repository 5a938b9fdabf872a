package breaks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/internal/words"
)

// fieldFlags are the flags of hocket break edit that set a field, with a valid
// value.
var fieldFlags = map[string]string{"kind": "kind conflict", "order": "order ''", "timeout": "timeout 100ms",
	"ignore_first": "ignore 0", "at_most": "hits 0", "if": "if EXPRESSION"}

// remake is what to do about a schedule that can't be read.
const remake = "remove the breakpoint and make it again: hocket break add -finding ID"

// withPlaces returns a copy of a breakpoint with the given number of
// placeholder places, so that its other fields can be checked first.
func withPlaces(b *breakfile.Breakpoint, places int) *breakfile.Breakpoint {
	c := *b
	c.ID = "b1"
	c.Places = make([]breakfile.Place, places)
	for i := range c.Places {
		c.Places[i] = breakfile.Place{File: "a.go", Line: 1}
	}
	return &c
}

// firstFault returns the first fault that was not there before, in terms of
// flags. Conditions are left to the type checker, which says more.
func firstFault(faults, before []breakfile.Fault) error {
	for _, f := range faults {
		if f.Field == "if" || slices.Contains(before, f) {
			continue
		}
		if flag, _, ok := strings.Cut(fieldFlags[f.Field], " "); ok {
			return errors.New(f.Flag(flag))
		}
		if f.Field == "places" {
			return errors.New("a concurrent breakpoint's " + f.Error() + ": hocket break add FILE.go:LINE FILE.go:LINE")
		}
		return f
	}
	return nil
}

// invalidity says why a breakpoint of the file is invalid, in one line: its
// first fault, or why its schedule can't be read; "" for a valid one.
func invalidity(b *breakfile.Breakpoint, faults []breakfile.Fault) string {
	if len(faults) > 0 {
		text := faults[0].Error()
		if n := len(faults) - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more)", n)
		}
		return words.OneLine(text)
	}
	if b.Kind != breakfile.Scheduled {
		return ""
	}
	if _, err := breakpoints.Parse(b.Schedule.Plan); err != nil {
		return words.OneLine("schedule.plan: " + err.Error() + "; " + remake)
	}
	if err := json.Unmarshal(b.Schedule.Judge, &reproduce.Judge{}); err != nil {
		return "schedule.judge does not say what the failure is; " + remake
	}
	return ""
}

// checkRunnable returns an error if a breakpoint that is to be run is invalid.
func checkRunnable(root string, b *Break) error {
	if b.Wrong == "" {
		return nil
	}
	id := b.ID
	if id == "" {
		return fmt.Errorf("%s: invalid breakpoint: %s; fix it there", breakfile.Path(root), b.Wrong)
	}
	out := "; fix it there"
	if strings.Contains(b.Wrong, remake) {
		out = "" // it says so
	}
	if own := b.Check(); len(own) > 0 && strings.HasPrefix(b.Wrong, words.OneLine(own[0].Error())) {
		if flag := fieldFlags[own[0].Field]; flag != "" {
			out += fmt.Sprintf(", or with hocket break edit %s -%s", id, flag)
		}
	}
	return fmt.Errorf("%s: invalid breakpoint %s: %s%s", breakfile.Path(root), id, b.Wrong, out)
}

// breakOf returns the breakpoint with an id.
func breakOf(f *breakfile.File, id, root string) (*breakfile.Breakpoint, error) {
	b := f.Get(id)
	if b == nil {
		return nil, unknownBreak(f, id)
	}
	for _, other := range f.Breakpoints {
		if other != b && other.ID == id {
			return nil, fmt.Errorf("%s has two breakpoints with the id %q, perhaps after a merge; give one of them another id", breakfile.Path(root), id)
		}
	}
	return b, nil
}

func unknownBreak(f *breakfile.File, id string) error {
	if len(f.Breakpoints) == 0 {
		return fmt.Errorf("there is no breakpoint %s: no breakpoint is set; set one with: hocket break add FILE.go:LINE FILE.go:LINE", id)
	}
	var known []string
	for _, b := range f.Breakpoints {
		known = append(known, b.ID)
	}
	return fmt.Errorf("there is no breakpoint %s; the breakpoints are %s (hocket break list)", id, some(known))
}

// Kind says what a kind of breakpoint is.
type Kind = breakfile.KindDoc

// KindDocs are all kinds of breakpoints, in the order of the documentation.
func KindDocs() []Kind { return breakfile.KindDocs() }
