package constraint

import "fmt"

// Meets says what of the goal a schedule does not show at its end, or which
// rule it breaks; nil if it is valid and meets it.
func (s *System) Meets(sch *Schedule, g Goal) *Violation {
	m := NewMachine(s)
	for _, e := range sch.Order {
		if v := m.perform(e); v != nil {
			return v
		}
	}
	return m.Meets(g)
}

// Meets says what of the goal would be missing if the schedule ended here.
func (m *Machine) Meets(g Goal) *Violation {
	end := m.x.s.End()
	if m.open != NoEvent {
		return violated(m.open, ruleRendezvous, "the receive of the send is missing")
	}
	for _, e := range g.Include {
		if !m.happens[e] {
			return violated(end, ruleGoal, fmt.Sprintf("event %d has not happened", e))
		}
	}
	for _, e := range g.Stop {
		if !m.Stands(e) {
			return violated(end, ruleGoal, fmt.Sprintf("no thread stands before event %d", e))
		}
	}
	for _, e := range g.Blocked {
		if !m.Blocked(e) {
			return violated(end, ruleGoal, fmt.Sprintf("event %d does not block", e))
		}
	}
	if v := m.meetsOrder(g.Order); v != nil {
		return v
	}
	for _, c := range g.Cond {
		for _, r := range c.Symbols() {
			if !m.happens[r] {
				return violated(end, ruleGoal, fmt.Sprintf("event %d has not happened", r))
			}
		}
		if !c.Eval(m.Value).True() {
			return violated(end, ruleGoal, fmt.Sprintf("%v does not hold", c))
		}
	}
	if g.Stuck {
		return m.stuck()
	}
	return nil
}

func (m *Machine) meetsOrder(edges []Edge) *Violation {
	if len(edges) == 0 {
		return nil
	}
	at := make(map[EventID]int, len(m.log))
	for i := range m.log {
		at[m.log[i].event] = i
	}
	for _, d := range edges {
		a, ok := at[d.Before]
		b, ok2 := at[d.After]
		if !ok || !ok2 || a >= b {
			return violated(m.x.s.End(), ruleGoal, fmt.Sprintf("event %d does not happen before event %d", d.Before, d.After))
		}
	}
	return nil
}

// stuck says why the state is not stuck.
func (m *Machine) stuck() *Violation {
	end, waits := m.x.s.End(), false
	for t := range m.last {
		next := m.Next(ThreadID(t))
		for _, e := range next {
			if !m.Blocked(e) {
				return violated(end, ruleGoal, fmt.Sprintf("event %d can happen", e))
			}
		}
		waits = waits || len(next) > 0
		if m.unknown(ThreadID(t)) {
			return violated(end, ruleGoal, fmt.Sprintf("what thread %d does next is not known", t))
		}
	}
	return unless(waits, end, ruleGoal, "all threads are at their end")
}

// unknown says that what thread t does next is not known: it is open and at the
// end of what is known of it, or beyond a pending event.
func (m *Machine) unknown(t ThreadID) bool {
	l := m.last[t]
	if l == NoEvent {
		return m.begun(t) && len(m.x.roots[t]) == 0 && m.x.s.Threads[t].Open
	}
	return len(m.x.kids[l]) == 0 && (m.x.s.Threads[t].Open || m.x.s.Events[l].Pending)
}
