package constraint

// Simulate is the function Simulate.
func (c *Checker) Simulate(order []EventID) (*Schedule, *Violation) {
	return c.Meets(order, Goal{})
}

// Meets simulates an order and says which rule it breaks or what of the goal it
// does not show at its end.
func (c *Checker) Meets(order []EventID, g Goal) (*Schedule, *Violation) {
	c.begins()
	m := newMachine(c.x)
	for _, e := range c.pulled(order) {
		if c.stops() {
			return nil, violated(e, "stop", "the simulation was stopped")
		}
		if v := m.perform(e); v != nil {
			return nil, v
		}
	}
	if v := m.Meets(g); v != nil {
		return nil, v
	}
	return m.Schedule(), nil
}

// pulled is the part of an order before End with the k-th receive of each
// channel of capacity 0 right behind its k-th send.
func (c *Checker) pulled(order []EventID) []EventID {
	end := c.x.s.End()
	recvs := make(map[ObjID][]EventID)
	n := 0
	for _, e := range order {
		if e == end {
			break
		}
		n++
		if e < 0 || e > end {
			return order[:n]
		}
		if ev := &c.x.s.Events[e]; ev.Op == Recv && c.x.unbuffered(e) {
			recvs[ev.Obj] = append(recvs[ev.Obj], e)
		}
	}
	if len(recvs) == 0 {
		return order[:n]
	}
	out, early := make([]EventID, 0, n), make(map[EventID]bool)
	for _, e := range order[:n] {
		if early[e] {
			delete(early, e)
			continue
		}
		if p := c.x.s.Events[e].Prev; p != NoEvent && early[p] {
			return order[:n] // its Prev comes later: not to be repaired by pulling
		}
		out = append(out, e)
		ev := &c.x.s.Events[e]
		if ev.Op != Send || !c.x.unbuffered(e) || len(recvs[ev.Obj]) == 0 {
			continue
		}
		r := recvs[ev.Obj][0]
		recvs[ev.Obj] = recvs[ev.Obj][1:]
		out, early[r] = append(out, r), true
	}
	return out
}
