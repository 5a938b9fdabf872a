// Package repair proposes edits of a program that take the cause of a finding away.
//
// A [Problem] is a finding and the sources that it belongs to. [Propose] reads the
// steps of its root cause in the sources (step.go) and asks each rule (rules.go) for
// candidates: whole new texts of the files that a repair changes. A rule is about one
// kind of mistake, in a file of its own. What a candidate is worth is not known here:
// package verify builds it and searches it again, and tells.
//
// Invariants:
//   - Nothing is written and nothing of the user's is run.
//   - A candidate type-checks as far as it can be told from the sources, keeps every
//     comment, and changes only the lines that it needs. A file that was formatted as
//     gofmt does stays so; line ends stay what they were.
//   - Generated files and files outside the main module are never changed without
//     being marked: see Repair.Dependency.
//   - Equal problems give equal candidates, in the same order: smallest first.
//   - A rule that fits but must not be used gives a Refusal with the reason.
//   - It knows no schedules, runs and editors.
package repair
