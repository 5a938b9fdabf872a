// Package engine is the façade: find, replay and explain concurrency bugs of
// Go programs. The command line and the editor server call it and nothing
// below it.
//
// It only passes options in and answers out: Find is implemented by package
// session, which hunts (package hunt) on each target; replaying, explaining and
// debugging stored findings by package stored; concurrent breakpoints by
// package breaks; conflicts by package analysis.
//
// Invariants:
//   - A budget is for the whole call. When it ends, or the context is
//     cancelled, the result so far is returned, with what was covered.
//   - An error is for problems of the whole call (usage or environment), in one
//     line: what was being done to what, why it failed, and what the user can
//     do. Problems of one target are in its status.
//   - Nothing here knows of terminals, protocols or editors.
package engine
