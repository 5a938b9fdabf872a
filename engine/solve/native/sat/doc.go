// Package sat is a CDCL core for DPLL(T): two watched literals, first-UIP
// learning with clause minimisation, VSIDS with phase saving, Luby restarts,
// deletion of learnt clauses by LBD, and assumptions with final-conflict
// analysis (MiniSat: Eén and Sörensson 2003; Glucose: Audemard and Simon 2009;
// lazy theories: Nieuwenhuis, Oliveras and Tinelli 2006).
//
// Two things differ from the textbook. Variables are made during the search, by
// the theory. And only variables of clauses that are not satisfied yet are
// decided, so that a model leaves open what nobody asked for: an order with few
// edges is easier to keep valid.
//
// Invariants:
//   - trail[:qhead] is propagated through the clauses, trail[:thead] is known to
//     the theory; thead <= qhead.
//   - A clause's first two literals are watched. Of a reason clause the first
//     literal is the implied one.
//   - Clauses that are not learnt are never deleted unless true at level 0: the
//     theory's lemmas must not come again for its loop to end.
package sat

// Var is a variable, counted from 0.
type Var int32

// Lit is 2v for the variable v, 2v+1 for its negation.
type Lit int32

// None is no literal.
const None Lit = -1

// Pos is the literal v, Neg its negation.
func (v Var) Pos() Lit { return Lit(v) * 2 }

// Neg is the negation of v.
func (v Var) Neg() Lit { return Lit(v)*2 + 1 }

// Var of a literal.
func (l Lit) Var() Var { return Var(l >> 1) }

// Not is the negation.
func (l Lit) Not() Lit { return l ^ 1 }

// Negated says whether l is the negation of its variable.
func (l Lit) Negated() bool { return l&1 != 0 }

// Value of a literal.
type Value int8

const (
	Open  Value = 0
	True  Value = 1
	False Value = -1
)

// Theory is the T of DPLL(T). All clauses that it returns hold in it.
type Theory interface {
	// Assign learns that l is true. It may call Solver.Imply. If that can't be,
	// it returns a clause whose literals are all false, and has not taken l.
	Assign(l Lit) (conflict []Lit)
	// Undo takes back the last literal that Assign took.
	Undo(l Lit)
	// Explain gives the clause that implied l when l was given to Imply: l and
	// literals that were false before.
	Explain(l Lit) []Lit
	// Final sees an assignment that satisfies all clauses. Without lemmas and
	// error it is a model. A lemma must be no clause that it knows already, and
	// may have variables just made.
	Final() (lemmas []Lemma, err error)
}

// Lemma is a clause. With a guard, one of its literals, it says something only
// where the guard is false: as long as it is open, the others are not decided.
// That is for clauses that define the guard's variable, which hold in every
// order for some value of it.
type Lemma struct {
	Lits  []Lit
	Guard Lit // None: the clause has to be satisfied in any case
}

// Stats counts what a solver did since it was made.
type Stats struct{ Decisions, Conflicts, Lemmas int }
