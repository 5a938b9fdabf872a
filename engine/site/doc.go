// Package site names places so that the names hold beyond one machine (Roots:
// of files) and beyond one build (Site: of instructions).
//
// A program counter is good for one binary. What is kept, or compared with what
// another binary did, names an instruction by a Site; the Index of a binary
// turns one into the other.
//
// Invariants:
//   - The name of a file never holds a path of this machine: it is relative to
//     the main module's root, "module@version/path" in a dependency of the
//     module cache, or "std/path" in the standard library.
//   - Abs(Name(p)) is p on the machine that made the name, and the same source
//     on another machine that has it.
//   - A path that belongs nowhere keeps its base name only (generated files,
//     files that a build moved away).
//   - Two instructions of one binary have different sites. An edit outside the
//     functions of a site changes neither it nor what it means.
//   - Parse(s.String()) is s.
package site
