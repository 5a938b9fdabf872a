package engine

import (
	"context"
	"errors"

	"github.com/hocket-dev/hocket/analysis"
)

// ConflictReport is the answer of Conflicts; its JSON form is that of hocket vet -json.
type (
	ConflictReport = analysis.Report
	ConflictPair   = analysis.Pair
	ConflictSide   = analysis.Side
	ConflictCycle  = analysis.Cycle
)

// ConflictOptions says which packages to look at.
type ConflictOptions struct {
	Dir      string   // "" is the current folder
	Patterns []string // as for go vet; none means "."
	Flags    Flags
	// Overlay is unsaved texts: absolute path -> text.
	Overlay map[string]string
}

// Conflicts finds pairs of places that may conflict, from the sources alone:
// nothing is run. Files are named relative to the module's root. The error is
// only for what leaves nothing to look at; packages that don't compile give what
// they can, and a line in Errors.
func Conflicts(ctx context.Context, o ConflictOptions) (*ConflictReport, error) {
	return nil, errors.New("not built yet")
}
