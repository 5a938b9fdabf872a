// Package core reads core files of Go programs with Delve's library: where the
// goroutines stood and what failed, as a dump.State, and the values of variables by
// the paths of references that lead to them.
//
// Invariants:
//   - Nothing is started and nothing is written. Beside the core file only its
//     executable is opened: the one asked for, or the regular file that the core names,
//     and that only is used if it is the build that made the core.
//   - A core is not trusted. Headers are checked, with bounds, before Delve sees them;
//     a panic of Delve's is an error; a cancel returns though Delve may still read.
//   - Memory is read from the file as it is needed, so that its size does not matter.
package core
