package native

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Stated is a plan expressed by statements, so that it can be played on other
// texts than those from which it was derived.
type Stated struct {
	Plan       *Plan
	Statements []Statement
}

// Statement is one that gets points.
type Statement struct {
	File string // absolute
	points.Recipe
}

// StateOf derives a plan and finds the statements of its places. Steps without
// a place are left out, as Confirm does. read returns the text of a file; std
// reports whether a file is in the standard library, which gets no points.
func StateOf(t *trace.Trace, read func(file string) ([]byte, error), std func(file string) bool) (*Stated, error) {
	p, err := DerivePlan(t)
	if err != nil {
		return nil, err
	}
	s := &Stated{Plan: &p}
	var skipped []points.Skip
	files := map[string][]points.Place{}
	var names []string
	for _, pl := range p.Places {
		if std(pl.File) {
			skipped = append(skipped, points.Skip{Place: pl, Reason: "in the standard library"})
			continue
		}
		if files[pl.File] == nil {
			names = append(names, pl.File)
		}
		files[pl.File] = append(files[pl.File], pl)
	}
	for _, name := range names {
		src, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("read source for points: %w", err)
		}
		recipes, more, err := points.Recipes(name, src, files[name])
		if err != nil {
			return nil, err
		}
		skipped = append(skipped, more...)
		for _, r := range recipes {
			s.Statements = append(s.Statements, Statement{name, r})
		}
	}
	p.leaveOut(skipped)
	if len(p.Steps.Steps) == 0 {
		return nil, errors.New("no switch of its schedule is at a statement that could get a point")
	}
	if t.Outcome.Kind == trace.Leaked {
		p.Steps.Dump, p.Steps.Linger = true, leakLinger
	}
	return s, nil
}

// PlaceOf says how a place of the breakpoints file is instrumented, given the
// file that it is in now and the line at which its statement begins.
func PlaceOf(p breakfile.Point, file string, line int) (points.Place, error) {
	out := points.Place{ID: p.ID, Kind: points.Kind(p.Kind), File: file, Line: line + p.Line, Func: p.Func, Nth: p.Nth, Call: p.Call, Case: p.Case}
	if !slices.Contains([]points.Kind{points.At, points.Spawn, points.Select, points.Split, points.CondWake, points.Start}, out.Kind) {
		return out, fmt.Errorf("a point of the unknown kind %q", p.Kind)
	}
	for op := range trace.Op(255) {
		if p.Op != "" && op.String() == p.Op {
			out.Op = op
			return out, nil
		}
	}
	if p.Op != "" {
		return out, fmt.Errorf("a point at the unknown operation %q", p.Op)
	}
	return out, nil
}

// PointOf is the inverse of PlaceOf, for a statement that begins at a line.
func PointOf(pl points.Place, line int) *breakfile.Point {
	p := &breakfile.Point{ID: pl.ID, Kind: string(pl.Kind), Func: pl.Func, Nth: pl.Nth, Call: pl.Call, Case: pl.Case, Line: pl.Line - line}
	if pl.Op != trace.OpNone {
		p.Op = pl.Op.String()
	}
	p.Func = p.Func[strings.LastIndexByte(p.Func, '/')+1:]
	return p
}

// Renumber is the plan's steps with other numbers for the points.
func (p *Plan) Renumber(number func(point int) int) breakpoints.Plan {
	out := p.Steps
	out.Steps = slices.Clone(out.Steps)
	for i := range out.Steps {
		out.Steps[i].Point = number(out.Steps[i].Point)
	}
	return out
}

// clone is a copy that shares nothing that leaveOut changes.
func (p *Plan) clone() *Plan {
	c := *p
	c.Steps.Steps = slices.Clone(p.Steps.Steps)
	for i := range c.Steps.Steps {
		c.Steps.Steps[i].After = slices.Clone(c.Steps.Steps[i].After)
	}
	c.Dropped = slices.Clone(p.Dropped)
	return &c
}
