package constraint

// Lit is a literal of the order theory: A before B, or (From) B, a read or
// receive, takes its value from A; Neg negates. A or B may be System.End(), so that
// "A happens" is A before End. An initial value is read from NoEvent.
// "B not before A" is "A before B", since orders are total.
//
// A literal about two events that both don't happen holds, its negation too, also
// where the program orders them; and so does one about what a read takes that
// does not happen (solve.Placed).
type Lit struct {
	From, Neg bool
	A, B      EventID
}

// End stands after all that happens and before all that does not.
func (s *System) End() EventID { return EventID(len(s.Events)) }

// Clause is a disjunction that every valid schedule meets.
type Clause []Lit
