// Package sim interprets tiny concurrent programs under run.Spec, inside
// one process: a run.Runner for tests of everything that drives runs.
//
// A program is a Go function that does every shared operation through its
// Thread, as a program under control does it through the edited runtime:
//
//	func(t *sim.Thread) {
//		n := t.Int()
//		for range 2 {
//			t.Go(func(t *sim.Thread) { t.Store(n, t.Load(n)+1) })
//		}
//		...
//	}
//
// Each operation is simulated as Go's runtime and sync do it: a goroutine that
// can't go on parks in the queue of its object and is woken from there, a free
// lock may be taken before the goroutine woken for it runs, waiting writers
// keep readers out. Only a Mutex's starvation mode is left out: it begins after
// a wait of 1 ms, which does not happen in programs here.
//
// Invariants:
//   - One thread runs at a time, from a switch point to the next. Switch
//     points, their counts, events and the objects' names are those of a
//     controlled run: a thread that has just been started or was woken is at
//     none.
//   - Equal specs give equal results, unless the program itself keeps state
//     between runs (tests use that to simulate an uncontrollable target).
//   - Segments, as trace.Schedule says, then the strategy or the default rule. A
//     segment whose thread can't run is skipped and sets Result.Diverged.
//   - Happens-before is that of Go's race detector, so that the same accesses race.
//
// Places are the file and line of the operation in the program's source.
package sim
