// Package retrace finds an order for a run of which only the paths are known: what
// branches came out at, goroutine by goroutine (CLAP: Huang, Zhang, Dolby, PLDI 2013).
//
// The program is run under control, in a build that tells the same branches. Where a
// goroutine takes another way than the recorded one, what it had read or received before
// decided that, or what others had: package search computes a schedule in which one of
// these operations comes to something new, and in which nothing happens that lies beyond
// such a parting. Each run shows more of what can be read, until one fails as the
// recorded run did.
//
// CLAP takes what can be read from symbolic execution, and computes one order for all of
// the run. Here it comes from runs: so that nothing need be modelled, but more than one
// is made.
//
// Invariants:
//   - Only a run of the program that failed counts.
//   - Equal recorded runs of equal programs are looked for by equal attempts.
//   - It knows no formats of recorded runs and no builds.
package retrace
