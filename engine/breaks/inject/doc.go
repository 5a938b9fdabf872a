// Package inject turns concurrent breakpoints (l1, ..., ln; φ) of the
// breakpoints file into runs of the user's ordinary program (BTrigger,
// "Concurrent breakpoints", section 2): conditions are resolved and checked
// where their statements are, sides are put into the sources by an overlay, and
// processes are run and judged.
//
// Invariants:
//   - A condition has no side effects: calls, receives and function literals
//     are refused. A conjunct that refers to one side is that side's local
//     predicate, compiled into the program; of the others the largest one-sided
//     parts are captured there, and the rest is evaluated when the sides meet.
//   - Names in a condition mean what they would mean at that statement: later
//     declarations are not seen, inner ones hide outer ones.
//   - Every error of a condition names the expression, its column in the
//     condition, and the place.
//   - A run is one process. It ends by itself, by its timeout (then it counts
//     as failed: it hangs), or with the context.
//   - This package does not know where breakpoints are kept or who set them.
package inject

import (
	"context"

	"github.com/hocket-dev/hocket/engine/overlay"
)

// Scope says how the user's packages are loaded.
type Scope struct {
	Dir     string   // a folder of the module, absolute: go commands run there
	Flags   []string // build flags that choose files: -tags, -mod
	Env     []string // added to the environment of go commands
	Overlay *overlay.Files

	loads *loads // of one build; nil keeps nothing
}

// Side is the statement of one side, in the text that Scope's overlay gives.
type Side struct {
	File      string // absolute
	Name      string // for messages: "pool.go:41"
	Line, Col int
	Func      string // the function that holds it, "(*Pool).Get"; "" if that is not known
}

// Condition is a checked condition in the form that a build needs.
type Condition struct {
	Locals []string   // by side: its local predicate as Go text, "" for none
	Values [][]string // by side: captured expressions as Go text
	Joint  string     // breakpoints.Definition.Joint
	Names  [][]string // by side: the names of its scope that are used
	Copies [][]string // by side: those of Names that are local variables and cheap to copy
	Dids   []bool     // by side: the program reports when the statement is done
	Each   []bool     // by side: a range loop that receives from a channel
}

// CheckCondition returns an error if a condition is invalid.
func CheckCondition(ctx context.Context, sc Scope, sides []Side, condition string) error {
	_, err := Compile(ctx, sc, sides, condition)
	return err
}
