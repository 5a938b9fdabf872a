// Package play runs recording builds: it records runs of them, and has them follow
// runs that were recorded, on Go's own scheduler and all processors.
//
// Invariants:
//   - A run that was recorded is returned however its process ended.
//   - What was counted before a cancel is returned.
//   - It judges failures by what a process prints and its exit code, no more.
package play
