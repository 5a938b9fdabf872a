// Package libz3 is a thin binding of the C interface of Z3 (libz3), loaded when
// it is first used. What it holds: contexts, terms over booleans, integers and
// bit-vectors, solvers with scopes, assumptions, cores and models, parameters,
// interrupts.
//
// # Loading
//
// The library is opened at run time through purego rather than linked by cgo
// behind a build tag. Both were tried: a call costs 0.09 µs against 0.06, which
// vanishes beside building a term, while a linked binary does not start where
// libz3 is not installed and can't be built where there is no C compiler, so
// that `go install` would never give a binary that uses Z3. The price of
// loading is that a Linux binary built with CGO_ENABLED=0 needs the C library's
// loader to start, which it otherwise would not; -tags noz3 leaves all of this
// out, and Load then says so.
//
// # Invariants
//
//   - Nothing aborts the process: Z3 has no error handler here, errors are
//     looked up after each call, and the first one sticks to the Context (Err).
//   - A Context holds a reference to each term made in it until Release goes
//     back to an earlier Mark, or Close. Terms are not used after that.
//   - A Context and all that belongs to it is for one goroutine at a time.
//     Different contexts are independent. Solver.Check alone concerns itself
//     with interrupts.
package libz3
