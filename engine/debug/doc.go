// Package debug says where a debugger should stop a program that runs under a
// schedule.
//
// Invariants:
//   - A stop is before an operation: at the beginning of the user's line that
//     performs it, in the goroutine that performs it, in the visit of that line
//     in which it does. So the user sees the program as it is before anything
//     happens, in a frame of the user's code.
//   - Stops are in the order in which the run reaches them.
//   - Nothing here runs or builds a program; names of debuggers are unknown,
//     only the conditions are Go expressions over the controlled runtime's
//     variables (engine/rt), as Delve evaluates them.
package debug
