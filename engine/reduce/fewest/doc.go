// Package fewest computes the schedule of a failure with the fewest
// preemptions, instead of trying for it, and proves that there are no fewer
// (after Symbiosis §4.3, which minimises context switches with a solver; bounds
// on preemptions: CHESS).
//
// What a run showed of its goroutines is a constraint.System (engine/forest).
// switches.Fewest looks in it for the shortest way to the failure, and the
// program is run along it. Then every schedule with fewer preemptions than the
// best is looked at. Where one of them comes to something that no run has shown,
// the program is run that far, so that it is known next time. When none is left
// and none fails, the best has the fewest.
//
// Invariants:
//   - Only a run of the program is returned, which failed in the same way, with
//     its own preemptions, counted by run.CountsOf.
//   - Proved is said of all schedules of the program on its input, not only of
//     those that were recorded, and only if the forest is complete and each end
//     of a run is one that the model knows how to ask for. It holds for stops at
//     switch points: synchronisation, channels, atomics, and plain accesses.
//   - What can't be proved has a reason.
package fewest
