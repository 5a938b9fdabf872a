// Package points puts points with an order (package breakpoints) into a program
// at build time, by a source overlay: no file of the user changes on disk.
//
// Invariants:
//   - The program's behaviour does not change: each edit keeps the order of
//     evaluation, labels, defers and results. Where no safe edit exists the
//     place is skipped, with the reason, never approximated silently.
//   - Line numbers stay: text is inserted within lines, and the copy of a
//     select body that a preferred case needs has line directives. Where only
//     sides are put, columns stay too: each insertion ends with a directive.
//   - A point is visited exactly once for each execution of the statement (or
//     of the operand of && and ||, the loop condition, the deferred call) that
//     holds the operation, before it.
//
// The pipeline is: locate.go finds the syntax that performs an operation,
// slot.go says where a point before it can go, rewrite.go makes the edits (side.go
// those of sides),
// edit.go applies them, overlay.go and module.go make the build use them.
package points

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Kind says what goes to a place.
type Kind string

const (
	At       Kind = "at"        // a point before the operation
	Spawn    Kind = "spawn"     // the statement starts a goroutine: name it
	Select   Kind = "select"    // a point before the select, and a preferred case
	Split    Kind = "split"     // a point between the read and the write of x++ or x op= y
	CondWake Kind = "cond-wake" // a point between a Cond.Wait's wake-up and its relock
	Start    Kind = "start"     // a point at the start of the goroutine that the statement starts
	Linger   Kind = "linger"    // hold the end of function Func
	Side     Kind = "side"      // a side of a concurrent breakpoint before the statement
)

// IsPoint reports whether Place.ID is the number of a point.
func (k Kind) IsPoint() bool {
	return k == At || k == Select || k == Split || k == CondWake || k == Start
}

// Place is one operation of the program, as a trace names it.
type Place struct {
	ID   int // of the point, or of the spawn site
	Kind Kind
	File string // absolute
	Line int
	Col  int      // 0 if unknown
	Op   trace.Op // helps to choose among several operations on a line; OpNone: the first
	Func string   // the frame's function, likewise; for Linger the function's plain name
	Nth  int      // from 1: of several such operations on the line; 0 if unknown
	Call string   // the name of what is called, if the operation is inside that
	Case int      // Select: the preferred case as the compiler numbers it

	// Of a Side: ID is the breakpoint's. Predicate and Values are Go text, as the
	// statement's scope has it.
	Side      int      // from 1
	Also      []int    // further sides that are this very statement
	Predicate string   // "" for none
	Values    []string // what the joint predicate needs
	Names     []string // the names that Predicate and Values begin with
	Copies    []string // of Names: local variables that are cheap to copy
	Each      bool     // a range loop over a channel: before each receive
}

// Skip is a place that got no point.
type Skip struct {
	Place  Place
	Reason string
}

func (s Skip) String() string {
	return fmt.Sprintf("%s:%d (%s): %s", s.Place.File, s.Place.Line, s.Place.Kind, s.Reason)
}
