// Package search looks for schedules under which a target fails.
//
// A Strategy proposes attempts and is told how they ended; Make makes one by its
// name in the registry. A Campaign runs the attempts, several at a time, judges what
// counts as a concurrency bug and keeps the count. It is done in slices, so that the
// campaigns of many targets can share a budget.
//
// Invariants:
//   - What is found depends on the seed, not on the timing of the workers or
//     on their number (up to Lag): attempts are proposed and judged in order,
//     and a proposal knows the results of exactly the attempts Lag before it.
//     Only the real-time budget can cut this short.
//   - A failure is a finding only if some other schedule does not show it.
//     What every schedule shows is no concurrency bug; of leaks, only the
//     goroutines beyond those that every finished run leaves behind count.
//   - Every finding has been replayed: its schedule gives the same run again.
//   - A hang, a limit or a run cut off is never a failure.
package search
