package solve

import "github.com/hocket-dev/hocket/engine/constraint"

// Scopes keeps the clauses that a session was given, by scope: what sessions
// need that look at a check as a whole. The zero value has one scope.
type Scopes struct {
	clauses []constraint.Clause
	starts  []int // of the scopes after the first
}

// Push opens a scope.
func (s *Scopes) Push() { s.starts = append(s.starts, len(s.clauses)) }

// Pop forgets the clauses since the last Push, and that Push.
func (s *Scopes) Pop() {
	last := len(s.starts) - 1
	s.clauses, s.starts = s.clauses[:s.starts[last]:s.starts[last]], s.starts[:last]
}

// Add appends clauses to the present scope.
func (s *Scopes) Add(clauses ...constraint.Clause) { s.clauses = append(s.clauses, clauses...) }

// Clauses of all open scopes, and of assumptions.
func (s *Scopes) Clauses(assume ...Assumption) []constraint.Clause {
	all := s.clauses[:len(s.clauses):len(s.clauses)]
	for _, a := range assume {
		all = append(all, a.Clauses...)
	}
	return all
}

// scoped is a session that keeps what it was given: what the decorators embed.
type scoped struct {
	Session
	scopes Scopes
}

func (s *scoped) Push() { s.scopes.Push(); s.Session.Push() }
func (s *scoped) Pop()  { s.scopes.Pop(); s.Session.Pop() }
func (s *scoped) Add(clauses ...constraint.Clause) {
	s.scopes.Add(clauses...)
	s.Session.Add(clauses...)
}
