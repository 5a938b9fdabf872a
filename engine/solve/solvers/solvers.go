// Package solvers is the one place where the product chooses its solver.
package solvers

import (
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// Default is the solver of all that asks one: native, which needs no library and can
// prove, for systems that it answers in seconds.
func Default() solve.Solver { return solve.Limit(native.New(), solve.MaxEvents) }
