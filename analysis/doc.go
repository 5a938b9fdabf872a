// Package analysis finds, from the sources alone, pairs of places that
// goroutines may reach at once and where their order may matter (concurrent
// breakpoints paper, §2: conflict states; §5: where candidates come from).
//
// How it works, a file each:
//
//   - package program: the packages asked for from source, their SSA form, and
//     control flow.
//   - summarizer, walk, call, locks, value, bind: a summary for each function, made
//     once, and once more for each way in which constants decide what it does
//     (given): its operations as events with an access path (path), the locks that
//     are certainly held, the chain of calls and goroutine starts that leads to
//     them (chain), whether the object is known to anybody else yet (construct),
//     and what is worth remembering (facts). At a call the callee's
//     summary is put into the caller's terms.
//   - entries: main, tests, and what callers outside may do with a library.
//   - order: which two events of an entry may run at once: after the go
//     statement, before the join.
//   - race, atomicity, publish, deadlock, channel, condition: the kinds.
//   - likely: which of the candidates are likely no bug, and why; separate (is it
//     one object), locks (is it one lock), flags, handed (who owns it),
//     documented and live (who calls it) are its questions.
//   - analyze: ranking; of the pairs of one cause the first is shown.
//
// Invariants:
//   - A pair is a hint. Neither is every bug found nor is every hint a bug:
//     aliasing goes by field and allocation, recursion is cut, and code
//     without sources does nothing but call the functions that it is given.
//   - The same sources give the same report.
//   - A panic costs the function, package or entry that it was about, is a line
//     in Errors and is reported as a bug. Work ends when the context does.
//   - Sizes are bounded: events of a function (maxEvents) and of an entry
//     (maxEntry), depth of calls (maxDepth), accesses of a location that are
//     compared (maxBucket).
package analysis
