// Package sim interprets tiny concurrent programs under replay.Spec, inside
// one process: a replay.Runner for tests of everything that drives runs.
//
// A program is a Go function that does every shared operation through its
// Thread; the operations are switch points, as in a controlled run:
//
//	func(t *sim.Thread) {
//		n := t.Int()
//		for range 2 {
//			t.Go(func(t *sim.Thread) { t.Store(n, t.Load(n)+1) })
//		}
//		...
//	}
//
// Invariants:
//   - One thread runs at a time; a thread is stopped before each operation and
//     counts the operation when it passes it. Its first switch point is its
//     start.
//   - Equal specs give equal results, unless the program itself keeps state
//     between runs (tests use that to play an uncontrollable target).
//   - Segments, then the default rule, as trace.Schedule says. A segment whose
//     thread can't run is skipped and sets Result.Diverged.
//
// Places are the file and line of the operation in the program's source.
package sim
