// Package anchor finds the lines of a text as it was in the text as it is.
//
// A finding names lines of the sources that were searched. People go on
// editing: lines move, are indented again, cut and pasted, changed. A Map
// answers where such a line is now, or that it has changed.
//
// Invariants:
//   - A line is only ever found at a line of the same tokens: white space
//     within a line does not count (gofmt keeps the line), all else does.
//   - Two lines are never found at one line, and equal texts give the identity.
//   - Lines outside of the edits are found: what is the same at both ends of
//     the texts, and between lines that occur once in either (patience diff);
//     smaller gaps by a shortest edit script (Myers) of bounded cost.
//   - A block that was moved is followed by its lines that occur once in either
//     text. A copied one is not: nobody could say which copy is meant.
//   - Time is linear in the texts but for a constant bound per gap: 5,000 lines
//     take less than 5 ms.
//
// Without the text as it was nothing is known, and nothing here guesses:
// whoever has no such text must treat the finding as one of an older version.
//
// The package is pure: no files, no protocol, no findings.
package anchor
