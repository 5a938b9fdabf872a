// Package rounds puts counters of rounds into the loops of a program's sources, so that a
// core of it shows in which round each loop was: the loop counts of an execution index
// (Weeratunge, Zhang and Jagannathan, ASPLOS 2010, §3.2 and §5).
//
// A counter is a field of a local variable of its function that only counts: it is set to
// 0 before the loop and to one more at the start of each round. The variable stands in
// memory, so that debug information leads to it in optimized code, too.
//
// Invariants:
//   - No line moves, and nothing that a program does changes.
//   - Equal texts have equal counters: the loops of a source tell their names.
//   - Loops that call nothing and wait for nothing have none. Their rounds are short, and
//     only a failure of their own line would be in one. Of what is ranged over, only the
//     file itself says whether it is a channel or an iterator.
package rounds
