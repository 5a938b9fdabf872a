// Package cause computes why a run failed: the few orders of events that suffice
// for the failure (Symbiosis §3.4-3.5; Choi and Zeller, ISSTA 2002, for orders that
// are narrowed down by running what lies between a failing and a passing run).
//
// An order literal of the failing run F says that one event came before another of
// another goroutine, where that matters: two accesses of which one writes, two
// acquisitions of a lock, a close and a use, a Wait and an Add, or that a select
// took the case that it took. A late literal is about an event of a passing run that the
// failing run had not come to. A channel operation counts from when the other side
// completed it (Effects). A literal holds in another run if both events occur there in
// that order. The core is a minimal set of literals that suffices: as far as the
// runs made show, every run in which all of them hold fails like F, and for each of
// them there is a passing run in which it alone of the core does not hold.
//
// It is computed by hitting sets. Each passing run rules out all sets of literals
// that hold in it, so that a core has a literal from each set of those that do not
// hold in a passing run. The cheapest set that has one from each is the candidate.
// Then runs are made in which it is enforced and all else is random. One that passes
// although the candidate holds is one more passing run; when many in a row failed,
// the core is settled. Orders beside the candidate are turned round as well, one after
// the other: if one of those is needed too, a run passes (challenge).
//
// Invariants:
//   - Only runs of the program count; a run counts for a candidate only if all of
//     its literals held there.
//   - Every literal of a core has a passing run of its own (Core.Without).
//   - Equal runs in equal order give equal cores.
//   - Events are matched between runs by goroutine, operation, call stack and object
//     (Match): what is not matched does not hold.
//
// The package knows no source texts and no wording.
package cause
