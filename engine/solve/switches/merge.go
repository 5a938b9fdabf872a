package switches

import "github.com/hocket-dev/hocket/engine/constraint"

// merge moves blocks, the events that a thread performs in one go, to the block
// before or after of the same thread, as long as that makes the best order
// better. Other events may then see other values: each order is performed, and
// has to reach the goal.
func (s *shrinker) merge() {
	for s.best != nil && s.budget.Err() == nil && s.mergeOnce() {
		s.linearise()
	}
}

// mergeOnce tries every pair of neighbouring blocks of a thread once, and
// goes on with the better order at once.
func (s *shrinker) mergeOnce() bool {
	improved := false
	blocks := s.blocks(s.best.order)
	for i := 0; i < len(blocks); i++ {
		if s.budget.Err() != nil {
			return improved
		}
		j := i + 1
		for j < len(blocks) && blocks[j].thread != blocks[i].thread {
			j++
		}
		if j >= len(blocks) || j == i+1 {
			continue
		}
		if s.offer(forward(blocks, i, j)) || s.offer(backward(blocks, i, j)) {
			improved = true
			blocks = s.blocks(s.best.order)
			i = max(-1, i-2)
		}
	}
	return improved
}

// block is what a thread performs in one go.
type block struct {
	thread constraint.ThreadID
	events []constraint.EventID
}

func (s *shrinker) blocks(order []constraint.EventID) []block {
	var all []block
	running := nobody
	for i := 0; i < len(order); i++ {
		n, t := 1, s.sys.Events[order[i]].Thread
		if rendezvous(s.sys, order, i) {
			n, t = 2, sideOf(s.sys, order, i, running)
		}
		if t != running {
			all = append(all, block{thread: t})
			running = t
		}
		last := &all[len(all)-1]
		last.events = append(last.events, order[i:i+n]...)
		i += n - 1
	}
	return all
}

// forward moves block j right behind block i.
func forward(blocks []block, i, j int) []constraint.EventID {
	order := flat(nil, blocks[:i+1])
	order = flat(order, blocks[j:j+1])
	order = flat(order, blocks[i+1:j])
	return flat(order, blocks[j+1:])
}

// backward moves block i right before block j.
func backward(blocks []block, i, j int) []constraint.EventID {
	order := flat(nil, blocks[:i])
	order = flat(order, blocks[i+1:j])
	order = flat(order, blocks[i:i+1])
	return flat(order, blocks[j:])
}

func flat(order []constraint.EventID, blocks []block) []constraint.EventID {
	for _, b := range blocks {
		order = append(order, b.events...)
	}
	return order
}
