// Package paths records which way goroutines took: the outcomes of branches, for
// each goroutine by itself. No synchronisation is recorded, and none is added (CLAP
// §5, Cortex §3.2): goroutines share nothing in it but a file in which each takes a
// piece now and then.
//
//   - program: the packages of the main modules that a target is made of, their
//     branches with numbers, the content ids of their functions.
//   - branches, statements: the calls that are put into a source, on the same lines.
//   - loops, chains, steps: those that call nothing tell their branches in the bits of a word.
//   - recorder: the build, and runs of it.
//   - log: the file in which the program records; goroutines with names.
//
// Recorded are branches of the main modules that other goroutines or the world
// outside may decide, in functions that touch what goroutines share, or call one that
// does (package analysis/decided). What other functions do is told by their
// arguments, and all other branches come out the same whenever a goroutine comes to
// them by the same recorded outcomes and results of such functions. So a path is less
// than each branch of a goroutine. Dependencies are not recorded, nor files that use
// cgo (Recorder.Left).
//
// Invariants:
//   - No file of the user's changes, no line of a source moves, and a condition is
//     evaluated as often and in the same order as before.
//   - A record is written in one instruction to a mapped file: what was recorded
//     before a kill is there. But what leads from one condition at once to another is
//     recorded with that: if the second panics, the first may be missing.
//   - A recorded outcome names its branch, once the log is read: a path needs no sources.
//   - Equal sources have equal numbers.
package paths
