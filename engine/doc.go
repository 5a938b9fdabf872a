// Package engine is the façade: find, replay and explain concurrency bugs of
// Go programs. The command line and the editor server call it and nothing
// below it.
//
// It has options in and answers out, and no code of its own beyond that: Find is
// package session, which hunts (package hunt) on each target; what is done with
// a finding that is kept is package stored; concurrent breakpoints are package
// breaks; conflicts are package analysis.
//
// Invariants:
//   - A budget is for the whole call, and what is known when it ends or when
//     the context is cancelled is returned, with what was covered.
//   - An error is an obstacle to the whole call (usage or environment), in
//     one line: what was done to what, why it failed, and what to do. What is
//     wrong with one target is in its status.
//   - Nothing here knows of terminals, protocols or editors.
package engine
