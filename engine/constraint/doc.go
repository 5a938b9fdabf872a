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
// the solvers answer is checked with it.
//
// # Objects
//
// What an object permits depends on the events on it that happened before:
//
//   - Location: a Read or RMW takes what the last Write or RMW before it gave,
//     or Object.Init. An RMW gives its own value at once.
//   - Mutex: Lock if nobody holds it, RLock if no writer does. TryLock and
//     TryRLock with outcome 1 are as these; with 0, somebody, or a writer, holds
//     it. Unlock and RUnlock if somebody holds it that way, whoever: Go lets
//     others unlock. That a writer which waits keeps new readers out matters only
//     at the end, for Goal.Blocked and Goal.Stuck: before, the reader may as well
//     have come earlier.
//   - WaitGroup: the counter starts at 0 and stays >= 0; Wait if it is 0.
//   - Cond: CondWait takes the next ticket, Signal calls the oldest ticket not
//     yet called, if there is one, Broadcast all. CondWake if its ticket has been
//     called. The lock of a Cond is a Mutex with events of its own.
//   - Channel of capacity C > 0: Send if it is not closed and holds fewer than C;
//     Recv with outcome Received if it is not empty; the k-th takes what the k-th
//     Send gave. Recv with outcome Closed if it is closed and empty, and its value
//     is 0. Close if it is not closed.
//   - Channel of capacity 0: Send if it is not closed and the next event of the
//     order is a Recv of another thread, which that thread stands before. Nobody
//     is parked: an operation that blocks has not happened.
//   - Channel that is nil: nothing.
//   - Default: for each case, the channel is nil, or it is not closed and (with
//     C > 0) full for a send, empty for a receive. With C = 0 nothing more is
//     asked: a partner need not have been parked.
//
// A thread whose Spawn is in the System begins after it; one that several Spawn
// events start (alternatives) after one of them. A Send on a closed channel, a
// second Close, an Unlock of what is not held are failures of a program: they
// are not possible, and looked for with Goal.Stop at them and Goal.Include of
// what they follow.
//
// # Ends
//
// At the end of a schedule a thread stands before the successors of its last
// event, or before its first events once it is started. A thread without
// successors is at its end, unless it is Open or its last event Pending: then
// what it does next is not known. Goal says what is asked of the end; possible
// means there that the object permits the event with the outcome that it has,
// whatever its conditions.
//
// # Orders and their clauses
//
// Solvers don't walk the Machine: they make a total order of all events and
// System.End and ask Explain what is wrong with it. Each Violation has a Clause
// over the literals of lit.go that every valid schedule meets and the order does
// not, so a solver that adds clauses until no violation is left ends, and its
// Unsat is a proof. They are as general as the rule allows:
//
//   - locks: of two regions one ends before the other begins; if threads release
//     each other's locks, as sums below;
//   - sums (holders, counters, items of a channel): the sum before an event is
//     wrong, so something that raises it comes before, or something that lowers it
//     does not; no order among the others is told;
//   - Cond: a ticket is called or not by the sets of signals and waits since the
//     last time that no ticket was open;
//   - conditions over one read: it takes from one of the writers with which the
//     condition holds (Writers); over more: one of the reads that the value comes
//     from, over as many threads as it went through, takes from another;
//   - goals: the same for the state at End.
//
// An order may have the receive of a channel of capacity 0 anywhere behind its
// send, if its thread stood before it when the send happened; Simulate moves it
// right behind, so that the schedule is one for the Machine. MustBefore cuts off
// what can't change anyway.
//
// A From literal of a read is an order of writes, of a receive a count of sends
// and receives; a solver ties it to the orders itself (solve/native/atoms.go).
//
// # Memory models
//
// What is defined here is sequential consistency. TSO and PSO (CLAP §3.2) would
// differ in two places only: which events of a thread
// Φ_mo orders, that is Checker.follows and Machine's demand that Prev is the last
// of its thread; and which write a read sees, that is take of both.
package constraint
