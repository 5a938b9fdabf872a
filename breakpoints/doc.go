// Package breakpoints makes goroutines meet in a chosen order, in an ordinary
// build: concurrent breakpoints, which hold a goroutine at one place until
// others are at the matching ones, and plans, which say of numbered points
// which arrivals must have happened before which point may go on.
//
// # Concurrent breakpoints in code
//
// A concurrent breakpoint (l1, ..., ln; φ) is hit when different goroutines
// are at its places (sides), and φ holds over what they pass (Park and Sen,
// PPoPP 2012). Then they go on in order. Make one with [New], or with one of
// the ready forms ([Race], [Contention], [Atomicity], [Deadlock],
// [MissedNotify], [Order]), call [Breakpoint.Here] right before each side's
// statement, and turn it on: in a test by [Enable], else by the environment
// variable HOCKET_BREAKPOINTS=all (or names), or the build tag
// hocket_breakpoints. While it is off, a call is a load and a branch. The
// examples show one bug of each form, failing every time.
//
// Hocket injects sides into programs that do not import this package: [Ready],
// [Side] and [Did], with definitions in HOCKET_BREAKS ([ParseDefinitions]).
//
// Whoever gets to a side for which the local predicate holds is postponed, at
// most for the side's time-out, until a combination of postponed goroutines,
// one for each side, satisfies the joint predicate. That is a meeting. The
// first IgnoreFirst meetings are let pass; the next ones are hits. (Meetings
// are counted, not visits as in the BTrigger report: "the third time that they
// meet" does not depend on how often one side passes alone.) The first in the
// order goes on at once; each further one when the one before has called Did,
// is blocked, has ended, or after 2 ms. With a one-way order the first side
// never pauses, and the others wait until it has passed.
//
// # Invariants of breakpoints
//
//   - Every pause ends: by a hit, the time-out, or early ("released"), when in
//     several looks at all goroutines nobody else could go on, or when a
//     goroutine in another side's function waited for a lock all the time: the
//     paused one holds it. The last is a guess, as Go does not tell who holds a
//     lock; it is said in Stat.Held.
//   - Of goroutines that are postponed and do not match, when nobody else can
//     go on, one is released early and passes all sides without pausing as long
//     as one of the others is postponed: passer.go says which one. So they meet
//     for certain if the released one comes with the other's value within the
//     time-out. If none has paused for nothing before, that is the one that came
//     last; if just this one does not come again, there is no hit.
//   - A goroutine is never at two sides of a meeting.
//   - A statement may be a side of several breakpoints (Definition.At): the
//     goroutine pauses once for all of them, and none hides another; shared.go
//     says how.
//   - Cost: a side without business is a load and a branch too. One that comes
//     often pauses in vain for three time-outs, and then for 0.5 % of the time;
//     one that comes seldom always pauses for its whole time-out, and while it
//     does, the frequent one looks at each visit. So within the first three
//     time-outs of pauses, which is all of many tests, sides meet as in the
//     paper, where all pause. Later, if one side comes seldom and the other at
//     least once a time-out, they meet as surely as if both paused always: the
//     seldom one sees at least one visit of the other in each pause. If both
//     come often, pauses of 1/20 of the time-out or more recur, in each of
//     which the other side comes by; with T = 100 ms they are a second apart
//     at most. What can be missed is a side that comes often for a while and
//     never again, with a partner that comes only later. The budget is in
//     budget.go. A local predicate that is false costs its
//     evaluation, at each visit.
//   - Looking at all goroutines stops the world; such looks take at most 2 % of
//     the time in which somebody is held.
//   - In a testing/synctest bubble, a pause takes none of the bubble's time, and
//     who sleeps there counts as blocked.
//
// # Plans
//
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
// Invariants of plans:
//
//   - Never stuck: when every other goroutine is blocked or waits at a point,
//     the first step that waits goes on before its time, and the rest of the
//     order is kept; this is done a few times. Then, or when a wait takes
//     longer than the plan's timeout, every wait is released for good. In
//     both cases the plan is marked broken.
//   - The steps of one role arrive in the order in which the plan lists them.
//   - The user's profiler labels are kept; see role.go for what happens to the
//     identity of a goroutine that sets its own.
//
// # Both
//
// Under -race they add no happens-before edges. Goroutines that wait are in
// one list (waiters.go), whatever they wait for. The package imports only the
// standard library, because Hocket also injects its source into the builds of
// programs; both copies may be in one process.
package breakpoints

// EnvPlan holds a plan (see [Parse]), or "@" and the name of a file with one.
const EnvPlan = "HOCKET_POINTS"

// EnvReport names the file to which the report is appended (see [ReadReport]).
const EnvReport = "HOCKET_POINTS_REPORT"
