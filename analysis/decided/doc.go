// Package decided says which conditions of a program other goroutines, or the world
// outside, may decide. All others come out the same whenever a goroutine comes to
// them by the same outcomes of the deciding ones: who knows those can compute them
// by running the goroutine's code alone.
//
// A value is open if it may come from memory that goroutines share, from a channel,
// or from a function that is not known; and what is computed of open values is open.
// Memory is seen in regions: what can be reached from each other is one region
// (unification, as in Steensgaard's analysis, fields not told apart). A region is
// shared if a goroutine other than the one that made it may come to it: it was given
// to a go statement, a channel, or an unknown function, or it is of a package
// variable that is written after the initialisation.
//
// Invariants:
//   - When in doubt, a value is open. What is not is decided by the goroutine alone,
//     provided that it does not write beyond its memory (package unsafe).
//   - Which way a goroutine took does not make values open: that is what the
//     outcomes of open conditions tell.
//   - Equal programs give equal answers.
package decided
