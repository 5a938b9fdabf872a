// Package native makes a failing schedule happen on the ordinary build, with
// the ordinary runtime: the program gets points with an order (package
// breakpoints) at the switches of the schedule, and nothing else.
//
// Deriving the plan (derive.go): a trace is cut into segments, in each of
// which one goroutine runs. The first operation of a segment must not happen
// before the previous segment is over: before its goroutine has arrived at its
// next operation, or has ended, or is blocked. So each segment costs at most
// one wait.
//
// The few orders that make the difference are tried first (core.go): between them all
// is free, so that less can stand in the way. ways.go says what is tried in turn.
//
// Invariants:
//   - Derived steps hold for any build of the same sources: they name
//     operations by source line, and goroutines by the source lines that
//     started them.
//   - A run counts as failed if and only if its failure is the trace's own,
//     whether its plan was fully played or not: what happens, happens.
//   - The baseline is measured on the plain build, without points: points alone
//     may change how often a failure comes.
//   - Nothing outlives Confirm: cancelling kills the process groups.
package native
