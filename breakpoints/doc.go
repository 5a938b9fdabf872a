// Package breakpoints makes goroutines meet in a chosen order: points with an
// order. A program is given points (by hand, or injected at build time by
// Hocket), and a plan from the environment says which arrivals must have
// happened before which point may go on. Without a plan a point costs a load
// and a branch.
//
// Words:
//   - A point is a numbered place in the program, [At].
//   - A role names a goroutine independently of scheduling: the chain of spawn
//     sites ([Spawn]) that leads to it, each with a count ("/3#1/7#2"); the
//     root role, of goroutines started by nobody known, is "/".
//   - A step of the plan is the k-th visit of a role to a point, counted since
//     that role's previous step. It has arrived once the goroutine got there.
//     Counting from the previous step, and not from the start, keeps the drift
//     small where loops run free between two steps.
//   - A step goes on after other steps have arrived (id), have arrived and
//     their goroutine is now blocked (id~), or has ended (id!).
//
// Invariants:
//   - Never stuck: when every other goroutine is blocked or waits at a point,
//     or a wait takes longer than the plan's timeout, the plan is marked
//     broken, and every wait is released for good.
//   - The steps of one role arrive in the order in which the plan lists them.
//   - The user's profiler labels are kept; see role.go for what happens to the
//     identity of a goroutine that sets its own.
//   - Under -race the points add no happens-before edges.
//
// The package imports only the standard library, because Hocket also injects
// its source into the builds of programs that do not import it.
package breakpoints

// EnvPlan holds a plan (see [Parse]), or "@" and the name of a file with one.
const EnvPlan = "HOCKET_POINTS"

// EnvReport names the file to which the report is appended (see [ReadReport]).
const EnvReport = "HOCKET_POINTS_REPORT"
