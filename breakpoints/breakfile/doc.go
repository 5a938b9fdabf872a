// Package breakfile keeps concurrent breakpoints in a file that is committed
// with the program, .hocket/breakpoints.json, and finds their statements again
// after edits.
//
// A breakpoint (l1, ..., ln; phi) of the paper (Concurrent Breakpoints, §2)
// names n places. A place is one statement, or the head of an if, for, switch
// or select, or the communication of a case. It is kept as a fingerprint: the
// enclosing function, the text without comments and white space of no meaning,
// which one it is among equal ones, and what stands around it.
//
// Invariants:
//   - Locate never gives another statement silently: what it finds is the
//     statement, or it says Changed, or it is lost. In doubt it is lost.
//   - The file holds no path of this machine and no time. Equal breakpoints
//     have equal bytes, sorted by id, a field a line.
//   - Fields that this version doesn't know are kept. A file that can't be
//     read is never overwritten.
//   - Killed at any moment, the file is the old or the new one; processes that
//     write at once lose nothing of each other's.
//   - An id names one breakpoint, and is never given again.
package breakfile
