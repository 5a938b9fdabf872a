package constraint

import "slices"

// SyncOrder is the recorded order of the operations on every object but memory,
// by Event.At, as clauses: what solving becomes cheap with if it was recorded.
// An operation whose thread can't go another way holds up the next one: a unit
// clause. One whose thread may take an alternative instead does so only if it
// happens. No product code uses it yet: recorded runs will; bench/solve measures it.
func (s *System) SyncOrder() []Clause {
	perObj := make([][]EventID, len(s.Objects))
	for e := range s.Events {
		ev := &s.Events[e]
		if k, ok := ev.Op.kindOf(); ok && k != Location && ev.At >= 0 {
			perObj[ev.Obj] = append(perObj[ev.Obj], EventID(e))
		}
	}
	avoidable := s.avoidable()
	var out []Clause
	for _, events := range perObj {
		slices.SortStableFunc(events, func(a, b EventID) int { return s.Events[a].At - s.Events[b].At })
		for i := 1; i < len(events); i++ {
			a, b := events[i-1], events[i]
			if s.Events[a].At == s.Events[b].At {
				continue
			}
			clause := Clause{{A: a, B: b}}
			if avoidable[a] {
				clause = append(clause, Lit{A: s.End(), B: a})
			}
			out = append(out, clause)
		}
	}
	return out
}

// avoidable says of each event whether it, or one before it in its thread, has
// an alternative.
func (s *System) avoidable() []bool {
	follow := make([]int32, len(s.Events))
	begin := make([]int32, len(s.Threads))
	for e := range s.Events {
		if ev := &s.Events[e]; ev.Prev != NoEvent {
			follow[ev.Prev]++
		} else {
			begin[ev.Thread]++
		}
	}
	out := make([]bool, len(s.Events))
	var path []EventID
	known := make([]bool, len(s.Events))
	for e := range s.Events {
		path = path[:0]
		for a := EventID(e); a != NoEvent && !known[a]; a = s.Events[a].Prev {
			path = append(path, a)
		}
		for _, a := range slices.Backward(path) {
			known[a] = true
			if p := s.Events[a].Prev; p != NoEvent {
				out[a] = out[p] || follow[p] > 1
			} else {
				out[a] = begin[s.Events[a].Thread] > 1
			}
		}
	}
	return out
}
