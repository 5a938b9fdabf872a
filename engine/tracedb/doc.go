// Package tracedb keeps what recorded runs did as the prefix trees of Cortex §5,
// in one file.
//
// A run is the paths of its goroutines, a path a list of tokens: branch outcomes,
// or places in the order of synchronisations; the database does not ask which.
// Goroutines that start at the same site of the same program share a tree: what
// their paths have in common from the start is stored once, with the number of
// goroutines that went there. A run refers to the ends of its paths.
//
// Programs are told apart by package, entry, mode, content, Go version and
// architecture. Paths of another program are never mixed in; they are offered
// ([DB.Continue]) as far as they went through functions that did not change.
//
// Invariants:
//   - A run is named by its content. Adding it again, from whatever file or
//     machine, changes nothing; so a merge that was stopped is simply repeated.
//   - All of a batch of runs is in the database, or nothing: a process may be
//     killed at any moment (bbolt's transactions; other files are replaced in one
//     step).
//   - One process writes at a time, and none while others read. Who waits longer
//     than Options.Wait gets an error that names who has the database.
//   - A value that was changed on disk is an error, never a wrong answer: every
//     edge and run has a checksum.
//   - Nothing in it is a path of this machine, unless a run says one.
//   - The package knows no recorder, no search and no sources.
//
// docs/traces.md describes the files.
package tracedb
