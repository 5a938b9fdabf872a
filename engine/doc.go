// Package engine is the façade: find, replay and explain concurrency bugs of
// Go programs. The command line and the editor server call it and nothing
// below it.
//
// A find is a pipeline per target; each stage is a package of its own, and no
// stage calls another:
//
//	target → instrument → search → replay (determinism, simplify, necessity,
//	100 replays) → native and pinned confirmation → projection → store
//
// Invariants:
//   - Reported means reproduced: a failure that two processes with the same
//     schedule do not both show is no finding, the target is not controllable.
//   - A budget is for the whole call, and what is known when it ends or when
//     the context is cancelled is returned, with what was covered.
//   - An error is an obstacle to the whole call (usage or environment), in
//     one line: what, where, the way out. What befalls one target is in its
//     status.
//   - Nothing here knows of terminals, protocols or editors.
package engine
