// Package z3 is a Solver on Debian's libz3: a differential oracle for the
// others, and the one for arithmetic and small windows.
package z3

import "github.com/hocket-dev/hocket/engine/solve/z3/libz3"

// ErrAbsent is wrapped by the errors of Available and New when there is no
// usable libz3.
var ErrAbsent = libz3.ErrAbsent

// WayOut says how to get libz3.
const WayOut = libz3.WayOut

// Available gives the version of the libz3 that is installed, such as "4.8.12".
// If there is none, or one too old, the error says so and how to get one.
func Available() (version string, err error) { return libz3.Load() }
