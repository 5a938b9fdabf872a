// Package build makes the programs that Hocket runs under its scheduler. Driver
// is the only way from a target to such an executable, for every mode; Sources
// are the texts that a build read, which all later steps use. Programs with
// points run under Go's own scheduler: engine/native and engine/breaks/inject
// build them, since they choose the points, in folders that they own. All are
// compiled by instrument.Target.Compile.
//
// Invariants:
//   - No file of the user changes: executables, and copies of unsaved texts,
//     are in Hocket's cache folder.
//   - A package is compiled once for each mode, even if it does not compile.
//   - A runner keeps its program, whatever is built later under the same name.
//   - The package does not know why a target or a place was chosen.
package build
