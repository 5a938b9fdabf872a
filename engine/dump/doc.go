// Package dump reads what is left of a failure: the text that Go prints when a
// program panics, deadlocks, is asked to quit or races, logs of tests with such
// text inside, goroutine profiles and execution traces. What it tells becomes
// States: which goroutines stood where, and waited for what; the failure; the two
// accesses of a race.
//
// Invariants:
//   - It only reads: it starts nothing and opens no file that a text names.
//   - What is read is not trusted. Any bytes give states or an error, in time and
//     memory that the limits of Read bound; what is beyond them is counted and told.
//   - Values of arguments are never kept: they may be secrets.
//   - Goroutines that stand at the same calls for the same reason are one, with a
//     count.
package dump
