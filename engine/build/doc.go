// Package build makes the programs that Hocket runs. Driver is the one way from a
// target to an executable under control, whatever its mode; Sources are the
// texts that a build read, for all that is done later in their name.
//
// Invariants:
//   - Nothing of the user's changes: what is built, and the copies of texts that
//     are not saved, lie in Hocket's cache folder.
//   - A package is compiled once for each mode, also if it does not compile.
//   - A runner keeps its program, whatever is built later under the same name.
//   - The package does not know why a target or a place was chosen.
package build
