package constraint

import "slices"

// SyncOrder is the recorded order of the operations on every object but memory,
// by Event.At, as clauses: what solving becomes cheap with if it was recorded.
// In a system of chains they are unit clauses; with alternatives an operation
// that does not happen holds none up.
func (s *System) SyncOrder() []Clause {
	perObj := make([][]EventID, len(s.Objects))
	for e := range s.Events {
		ev := &s.Events[e]
		if k, ok := ev.Op.kindOf(); ok && k != Location && ev.At >= 0 {
			perObj[ev.Obj] = append(perObj[ev.Obj], EventID(e))
		}
	}
	chains := s.chains()
	var out []Clause
	for _, events := range perObj {
		slices.SortStableFunc(events, func(a, b EventID) int { return s.Events[a].At - s.Events[b].At })
		for i := 1; i < len(events); i++ {
			a, b := events[i-1], events[i]
			if s.Events[a].At == s.Events[b].At {
				continue
			}
			clause := Clause{{A: a, B: b}}
			if !chains {
				clause = append(clause, Lit{A: s.End(), B: a})
			}
			out = append(out, clause)
		}
	}
	return out
}

// chains says that no event has alternatives.
func (s *System) chains() bool {
	follows := make([]bool, len(s.Events))
	begun := make([]bool, len(s.Threads))
	for e := range s.Events {
		ev := &s.Events[e]
		taken := &begun[ev.Thread]
		if ev.Prev != NoEvent {
			taken = &follows[ev.Prev]
		}
		if *taken {
			return false
		}
		*taken = true
	}
	return true
}
