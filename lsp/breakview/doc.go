// Package breakview keeps what an editor is shown of the concurrent breakpoints
// of a module: where their sides are in the texts that the editor has, what is
// wrong with them, and what can be done with them. The breakpoints themselves
// are in a file that the engine reads and writes (breakpoints/breakfile).
//
// Invariants:
//   - A View is of one reading of the file and one snapshot of the documents. It
//     never changes.
//   - A statement is looked for in a text once, however often it is shown.
//   - Each side is looked for in the file where it was when the breakpoints were
//     read. Only if it is lost there, or found there again, is a View stale, and
//     the breakpoints are to be read again, for which the whole package is
//     searched.
//   - Nothing is run, and nothing is written.
//   - The package handles no messages: the server converts what it says.
package breakview
