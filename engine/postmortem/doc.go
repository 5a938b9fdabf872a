// Package postmortem compares the core of a failed run with a passing run under control,
// and derives from what differs which preemptions are worth trying first, after
// Weeratunge, Zhang and Jagannathan, "Analyzing Multicore Dumps to Facilitate Concurrency
// Bug Reproduction", ASPLOS 2010.
//
// It goes through these steps:
//
//   - Index (index.go): the execution index of the failure point, by Algorithm 1: the
//     calls of the failing goroutine, and in each function the predicates on which its
//     line depends.
//   - Align (align.go): the operation of a passing run that the index leads to, or the
//     predicate at which that run took the other branch (rules 5 to 7).
//   - Compare (compare.go): the variables of both, by reference paths; those that differ
//     and that several goroutines use are the critical shared variables.
//   - Schedules (preempt.go): combinations of up to two preemptions before blocks that
//     use these, the most promising first (Algorithm 2).
//
// Invariants:
//   - What the passing run does between its operations is not seen: points are aligned
//     by operations. An alignment says whether it is exact.
//   - Values are compared, and kept only where they differ.
//   - Equal cores, programs and runs give equal schedules.
package postmortem
