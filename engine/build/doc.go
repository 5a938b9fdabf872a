// Package build makes the programs that Hocket runs. Driver is the only way
// from a target to an executable under the controlled scheduler, for every
// mode; Sources are the texts that a build read, which all later steps use.
//
// Invariants:
//   - No file of the user changes: executables, and copies of unsaved texts,
//     are in Hocket's cache folder.
//   - A package is compiled once for each mode, even if it does not compile.
//   - A runner keeps its program, whatever is built later under the same name.
//   - The package does not know why a target or a place was chosen.
package build
