// Package sweep answers many questions about one small system at once: it walks
// through all states of constraint's Machine that matter and notes which of the
// goals each of them shows. Where a solver would refute hundreds of goals one by
// one, most of them by counting, which clauses are bad at, one walk refutes all.
//
// # Which states matter
//
// States are merged: of a thread only counts what it may still do, of memory
// only what somebody may still read (tree.go). Of the threads that could go on
// not all need to: a set of threads is taken such that nothing that the others
// can do without them is dependent on what these do next. Such a set of
// transitions is persistent (Godefroid: Partial-Order Methods for the
// Verification of Concurrent Systems, LNCS 1032, 1996, chapter 4). What the
// others can do without them is read off their trees, which are cut where they
// need something of the set: a lock that it holds, a WaitGroup that is not zero
// without it, a channel that only it sends to (future.go).
//
// # Why that is exact
//
// Every event is performed at most once, so that there is no cycle. Let s be a
// state, T the events that a persistent set of threads may perform there,
// one of which can be performed, and u a sequence from s after which a goal
// shows. If u has events of T, the first of them commutes to the front of u, and
// the rest of u is a sequence from a state that is visited. Else u is as possible
// after any t of T, and the goal shows after t and u: of goals that are about
// threads that stand before events (races, sends on closed channels, counters
// below zero) because the events count as things that their threads could do, so
// that who could change whether the goal shows is dependent on them. The events
// left get fewer, so a state that shows the goal is visited.
//
// In a state in which nothing is possible (Goal.Stuck) neither is any t of T, so
// that u has events of T, and all such states are visited. But a reader that is
// stopped only by a writer that waits is not stuck to the Machine. So if readers'
// locks are all that is possible of T, other sets are taken, too, until one has
// something else.
//
// A leaf of a thread's tree that changes no object, such as a read of the
// frontier, need not be performed to reach anything else: that it can be is
// enough.
//
// # What is not answered
//
// Questions with orders, conditions, or Given clauses other than those of
// package forest stay Unknown. A walk that comes to its bound leaves open what it
// has not seen.
//
// Invariant: Sat comes with a schedule that the Machine performed, and Unsat is
// said only after a walk that came to its end.
package sweep
