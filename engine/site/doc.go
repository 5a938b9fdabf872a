// Package site names places so that the names hold beyond one machine and one
// build.
//
// Invariants:
//   - The name of a file (Roots) never holds a path of this machine: it is
//     relative to the main module's root, "module@version/path" in a dependency
//     of the module cache, or "std/path" in the standard library.
//   - Abs(Name(p)) is p on the machine that made the name, and the same source
//     on another machine that has it.
//   - A path that belongs nowhere keeps its base name only (generated files,
//     files that a build moved away).
package site
