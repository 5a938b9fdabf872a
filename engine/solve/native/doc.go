// Package native is the solver of schedules in pure Go: CDCL(T) with a theory
// of total orders (MCR and CLAP ask a general SMT solver; an own theory is what
// gets past a thousand events).
//
// # Parts
//
//   - sat: the CDCL core.
//   - order: the asserted order of events and End as a graph in topological
//     order. It starts as the recorded order.
//   - theory.go: order literals are edges. A cycle is a conflict; literals that
//     a path decides are implied.
//   - atoms.go: variables for constraint.Lit, made when first asked for.
//   - locked.go: accesses in lock regions are ordered as the regions are.
//   - equal.go: values that are equal in whatever order they are changed;
//     induct.go proves that of variables that are always changed together.
//   - play.go: reads a schedule from the graph. It runs the program as far as
//     the edges and the objects let it, each thread waiting where it can't go on,
//     in recorded order otherwise. What the goal does not need is left out where
//     it does not fit.
//   - lemmas.go: where that gets stuck, constraint's Explain says why, in
//     clauses; with them the search goes on.
//
// # Why it is right
//
// Sat: what was played was performed by constraint's Machine, and meets the
// goal. Unsat: all clauses hold in every schedule (those about the goal under
// the goal's own literal). It ends since each round adds a clause that is false
// in the round's order, while all earlier ones are true in it, and there are
// finitely many.
//
// From(w, r) is true iff r happens and takes its value from w. What that means
// for the order is added lazily, as clauses with ¬From(w, r) as their guard.
package native
