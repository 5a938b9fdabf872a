// Package racetest tests the race detector, which lives in package runtime of
// users' programs and so cannot be imported: its files are copied into a module
// of their own (testdata/core, where the tests proper are) and, to see that they
// compile at their real place, into package runtime by an overlay.
package racetest
