// Package forest puts together what runs of one program showed about each of
// its goroutines, and makes constraint systems of it.
//
// A run's part in one goroutine is its local history: the operations with what
// reads, receives, tries and selects came to. What a goroutine does next is a
// function of its local history (maximal causality: Huang, PLDI 2015), so that
// the histories of many runs form a prefix tree for each goroutine: nodes are
// events, siblings are alternatives (Cortex §3.3.2 keeps branch paths in tries
// in the same way). System makes the trees into a constraint.System, and adds
// to each read-like operation the outcome not seen yet: the frontier. If the
// frontier can't happen, the runs seen cover every schedule.
//
// Invariants:
//   - A forest is never wrong, only incomplete: what it can't model is left out
//     and named by Incomplete. A proof needs a forest that is complete.
//   - A thread is main, or a goroutine whose start is recorded, by a thread: by a
//     go statement, or by the making of a timer. It begins after that in every
//     schedule. All others are left out, and the forest is incomplete for them
//     (threads.go); it is for each timer, too, since time is not modelled.
//   - Objects and goroutines go by their schedule-independent names. A value is
//     an object's bits where they mean the same in every run, else the write
//     that left it.
//   - Equal runs in equal order give equal systems.
//
// What no other goroutine uses is left out: it decides nothing that the
// goroutine's history does not decide already.
package forest
