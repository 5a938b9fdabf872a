package breakfile

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxPlaces is how many sides a breakpoint can have (breakpoints.MaxSides).
const MaxPlaces = 14

// Fault is a field of a breakpoint that can't be right.
type Fault struct {
	Field string // as in the file: "timeout", "places"
	Value string // as people write it; "" if it is not there or says nothing
	Why   string // "must be above zero; ..."
}

// Error is one line: "timeout 0s must be above zero".
func (f Fault) Error() string { return f.as(f.Field) }

// Flag is the same in terms of a flag that gave the value.
func (f Fault) Flag(flag string) string { return f.as("-" + flag) }

func (f Fault) as(name string) string {
	return strings.Join(slices.DeleteFunc([]string{name, f.Value, f.Why}, func(s string) bool { return s == "" }), " ")
}

// Check gives what is wrong with the breakpoint as far as it can be told from
// itself: not whether its statements are there, nor the types in its condition.
func (b *Breakpoint) Check() []Fault {
	var all []Fault
	add := func(f ...Fault) { all = append(all, f...) }
	if !validID(b.ID) {
		add(Fault{"id", strconv.Quote(b.ID), `is not a valid id; use one such as "b1", without spaces, commas, slashes and quotes`})
	}
	add(b.checkKind()...)
	add(b.checkPlaces()...)
	if b.Kind != Scheduled {
		add(checkOrder(b.Order, len(b.Places))...)
	}
	for _, n := range []struct {
		field string
		value int
	}{{"ignore_first", b.IgnoreFirst}, {"at_most", b.AtMost}} {
		if n.value < 0 {
			add(Fault{n.field, strconv.Itoa(n.value), "must not be negative; 0 is no limit"})
		}
	}
	add(checkTimeout("timeout", b.Timeout)...)
	add(checkCondition(b.If)...)
	if b.Kind == Scheduled && b.Schedule == nil {
		add(Fault{"schedule", "", "is missing; remove the breakpoint and make it again: hocket break add -finding ID"})
	}
	return all
}

// Check gives for each breakpoint of the file, in its order, what is wrong with
// it, alone and beside the others; nil for those that are fine.
func (f *File) Check() [][]Fault {
	out := make([][]Fault, len(f.Breakpoints))
	for i, b := range f.Breakpoints {
		out[i] = b.Check()
		if n := f.count(b.ID); n > 1 && b.ID != "" {
			out[i] = append([]Fault{{"id", b.ID, fmt.Sprintf("is that of %d breakpoints, perhaps after a merge; give the others another one", n)}}, out[i]...)
		}
	}
	return out
}

func (f *File) count(id string) (n int) {
	for _, b := range f.Breakpoints {
		if b.ID == id {
			n++
		}
	}
	return n
}

// checkKind also counts the places.
func (b *Breakpoint) checkKind() []Fault {
	doc, n := kindDoc(b.Kind), len(b.Places)
	switch {
	case doc == nil:
		return []Fault{{"kind", strconv.Quote(b.Kind), "is unknown; use one of " + strings.Join(Kinds(), ", ")}}
	case b.Kind == Scheduled && n < 1:
		return []Fault{{"places", "", "are missing; remove the breakpoint and make it again: hocket break add -finding ID"}}
	case b.Kind == Scheduled:
		return nil
	case n < 2:
		return []Fault{{"places", "", fmt.Sprintf("must be two or more, not %d; twice the same one is allowed", n)}}
	case n > MaxPlaces:
		return []Fault{{"places", "", fmt.Sprintf("must be %d at most, not %d", MaxPlaces, n)}}
	case doc.most > 0 && n > doc.most:
		return []Fault{{"kind", b.Kind, fmt.Sprintf("has %d places at most, not %d; leave the kind out for more", doc.most, n)}}
	}
	return nil
}

func (b *Breakpoint) checkPlaces() []Fault {
	var all []Fault
	for i, p := range b.Places {
		at := fmt.Sprintf("places[%d]", i)
		switch {
		case p.File == "":
			all = append(all, Fault{at, "", `has no "file"; name the Go file, from the module's root`})
		case p.Line < 1:
			all = append(all, Fault{at + ".line", strconv.Itoa(p.Line), "must be 1 or more"})
		case p.Column < 0:
			all = append(all, Fault{at + ".column", strconv.Itoa(p.Column), "must not be negative"})
		}
		all = append(all, checkTimeout(at+".timeout", p.Timeout)...)
	}
	return all
}

// checkOrder: a permutation of 1..n, or none.
func checkOrder(order []int, n int) []Fault {
	if len(order) == 0 {
		return nil
	}
	want := make([]int, n)
	for i := range want {
		want[i] = i + 1
	}
	if slices.Equal(slices.Sorted(slices.Values(order)), want) {
		return nil
	}
	why := fmt.Sprintf("must name each of the %d sides once", n)
	if n > 0 {
		why += ", for instance " + numbers(want)
	}
	return []Fault{{"order", numbers(order), why}}
}

func numbers(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}

func checkTimeout(field, text string) []Fault {
	if text == "" {
		return nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return []Fault{{field, text, "is not a valid duration; use a number with a unit, for instance 100ms"}}
	case d <= 0:
		return []Fault{{field, text, "must be above zero; leave it out for 100ms"}}
	}
	return nil
}

// checkCondition: it must be a Go expression.
func checkCondition(text string) []Fault {
	if text == "" {
		return nil
	}
	_, err := parser.ParseExprFrom(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err == nil {
		return nil
	}
	why := err.Error()
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		why = fmt.Sprintf("column %d: %s", list[0].Pos.Column, list[0].Msg)
	}
	return []Fault{{"if", strconv.Quote(text), "is not a Go expression: " + strings.Join(strings.Fields(why), " ")}}
}
