// Package z3 is a Solver on Debian's libz3, for arithmetic and small windows. No
// product code asks it yet: today tests check the other solvers against it.
//
// The whole system is written out at once ("eagerly"), from what package
// constraint's comments say of events and objects, and shares no code with
// constraint's Machine, which then judges every answer.
//
//   - Each event and the end have an integer position; an event happens if its
//     position is below the end's. Positions of events that meet in some rule
//     differ; others may be equal and are then put into any order.
//   - What an object permits at a point is a formula over which of its events
//     come before that point: sums for locks, wait groups and channels. The
//     point is the event itself, or the end if a goal asks what is possible
//     there. So a rule is written once.
//   - The two halves of a rendezvous have positions that follow each other.
//   - A read takes from the write behind which no other comes before it, a
//     receive from its send by a matching that keeps the order and leaves nothing
//     out. Values are bit-vectors that wrap, and a number for values of which only
//     identity is known.
//
// A check returns when its context ends. Z3 may not: it looks at no interrupt
// while it takes in a formula, which it does on a push, too. So the context that
// Z3 works on is left to a goroutine that closes it when Z3 comes back, at most
// maxBusy at once, and the session makes another for its next check.
//
// All relations of positions are differences of two, which Z3's dense difference
// logic takes. Formulas grow with the cube of the events of one object, so that
// some hundred events are the limit; Options.MaxTerms keeps the size in bounds.
package z3
