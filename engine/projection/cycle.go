package projection

import "slices"

// maxStarts bounds where a cycle is looked for among thousands of waiters.
const maxStarts = 200

// findCycle marks one shortest cycle of waiters: with many copies of one
// deadlock, one of them explains all.
func (s *stuck) findCycle() {
	var best []int
	for i := range s.waiters {
		if i == maxStarts {
			break
		}
		if c := s.cycleFrom(i); c != nil && (best == nil || len(c) < len(best)) {
			best = c
		}
	}
	for _, i := range best {
		s.waiters[i].loop, s.cycle = true, true
	}
}

// cycleFrom is a shortest cycle through i.
func (s *stuck) cycleFrom(i int) []int {
	from := map[int]int{}
	todo := []int{i}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		for _, y := range s.waiters[x].on {
			if y == i {
				cycle := []int{x}
				for x != i {
					x = from[x]
					cycle = append(cycle, x)
				}
				return cycle
			}
			if _, ok := from[y]; !ok {
				from[y] = x
				todo = append(todo, y)
			}
		}
	}
	return nil
}

// suspect links a waiter for a message, of which no sender or receiver was
// seen, to those that wait for a lock that it holds: the other end is usually
// behind that lock.
func (s *stuck) suspect() {
	for i := range s.waiters {
		w := &s.waiters[i]
		if isLockOp(w.Op) || len(w.on) > 0 || w.come != nil {
			continue
		}
		for j := range s.waiters {
			if j != i && slices.ContainsFunc(s.waiters[j].heldBy, func(h holder) bool { return h.g == w.G }) {
				w.on = append(w.on, j)
			}
		}
	}
}

// inOrder are the waiters of the cycle, each before the one that it waits for,
// from one that waits for something else than a lock, if there is one, best one
// that holds a lock meanwhile.
func (s *stuck) inOrder() []*waiter {
	var loop []int
	for i := range s.waiters {
		if s.waiters[i].loop {
			loop = append(loop, i)
		}
	}
	at := max(0, slices.IndexFunc(loop, func(i int) bool { return !isLockOp(s.waiters[i].Op) }))
	for n, i := range loop {
		holds := slices.ContainsFunc(loop, func(j int) bool { _, ok := holding(&s.waiters[j], s.waiters[i].G); return ok })
		if holds && !isLockOp(s.waiters[i].Op) {
			at = n
			break
		}
	}
	var out []*waiter
	for i := loop[at]; len(out) < len(loop); {
		w := &s.waiters[i]
		out = append(out, w)
		next := slices.IndexFunc(w.on, func(j int) bool { return s.waiters[j].loop && !slices.Contains(out, &s.waiters[j]) })
		if next < 0 {
			break
		}
		i = w.on[next]
	}
	return out
}
