// Package constraint says which schedules a set of recorded goroutine
// histories allows: the events, the objects that they share and a goal, which
// together are Φ = Φ_path ∧ Φ_sync ∧ Φ_rw ∧ Φ_mo ∧ Φ_bug (CLAP §3; Symbiosis
// §3.3; Cortex §2.3). A solver (engine/solve) looks for a total order of
// events that meets it.
//
// # Events
//
// A System holds events. Prev names the event before in the same thread; events
// with equal Prev are alternatives of which at most one happens, so that a
// thread is a tree and one System can hold many observed paths. A chain is the
// common case: one recorded run.
//
// # Prefixes
//
// A schedule is a total order of the events that happened; the others come
// after End. So "e happens" is the order e < End, and nothing is asked of what
// comes after: conditions behind a failure are void, and a lock may still be
// held at the end (Symbiosis §4). A schedule is valid if
//
//   - Φ_mo: Prev(e) < e for every e that has one (sequential consistency);
//   - of two alternatives at most one happens;
//   - Φ_sync: each event is possible in the state of its object that the
//     events before it leave, with the outcome that it has;
//   - Φ_rw: a read takes the value of the last write before it;
//   - Φ_path: every condition of an event that happens holds.
//
// and the goal is met: Φ_bug.
//
// Machine is this definition as a program: it performs events one by one. What
// the solvers answer is checked with it. The rules of each kind of object
// stand with its type in the files named after them.
package constraint
