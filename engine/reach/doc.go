// Package reach says how near a run under control came to a state that an artefact
// tells of (package dump), and where goroutines have to be held to lead a run there.
//
// Invariants:
//   - The same state means: the same failure, and each goroutine of the user's that
//     waits stands at the same calls for the same reason. Goroutines that ran, slept
//     or were in a system call are not compared, since no schedule decides where in
//     their code such a moment finds them.
//   - Places are compared by folder, file and line, functions by name where the line
//     is not known: names of closures depend on what the compiler inlines.
package reach
