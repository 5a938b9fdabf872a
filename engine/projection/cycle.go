package projection

import "github.com/hocket-dev/hocket/engine/trace"

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
		if isLockOp(w.Op) || len(w.on) > 0 {
			continue
		}
		for j := range s.waiters {
			for _, h := range s.waiters[j].holds {
				if h.g == w.G && j != i {
					w.on = append(w.on, j)
					break
				}
			}
		}
	}
}

// maxWaits bounds the waiters that are shown as part of the cause.
const maxWaits = 4

// chooseWaits takes the waiters of the cycle; or else, one for each place,
// those that do not wait for another waiter.
func (s *stuck) chooseWaits() {
	seen := map[trace.StackID]bool{}
	pick := func(ok func(*waiter) bool) {
		for i := range s.waiters {
			w := &s.waiters[i]
			if len(s.waits) < maxWaits && ok(w) && (s.cycle || !seen[w.Stack]) {
				seen[w.Stack] = true
				s.waits = append(s.waits, i)
			}
		}
	}
	if s.cycle {
		pick(func(w *waiter) bool { return w.loop })
		return
	}
	pick(func(w *waiter) bool { return len(w.on) == 0 })
	if len(s.waits) == 0 {
		pick(func(*waiter) bool { return true })
	}
}

// holders that matter to waiter i: those of the cycle, else the first.
func (s *stuck) holders(i int) []holder {
	all := s.waiters[i].holds
	var out []holder
	for _, h := range all {
		for _, j := range s.waits {
			if s.waiters[j].G == h.g {
				out = append(out, h)
			}
		}
	}
	if len(out) == 0 {
		return all[:min(1, len(all))]
	}
	return out
}
