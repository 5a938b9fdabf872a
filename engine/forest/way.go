package forest

import (
	"math"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// Far is the To of a Frontier that does not lie on the way to a place where runs left.
const Far = math.MaxInt

// keptWeight is how many operations one that was kept to more outweighs.
const keptWeight = 2

// SetLeft says where goroutines (trace.Goroutine.Key) of the run added last left a way
// that they were to go: after they had passed so many switch points. What they did until
// then is on the way. Kept is how far the run kept to it in all: where others left it that
// kept less is farther.
func (f *Forest) SetLeft(left map[uint64]uint32, kept int) {
	r := f.runs[len(f.runs)-1]
	r.left, r.kept = left, kept
}

// along marks what lies off the way, and says of each goal on it that nothing of that
// happens before.
func (b *builder) along() {
	if b.to == nil {
		return
	}
	var never []constraint.EventID
	for id, n := range b.nodes {
		if n != nil && n.off && !n.parent.off {
			never = append(never, constraint.EventID(id))
		}
	}
	for i := range b.front {
		if f := &b.front[i]; !f.Off {
			f.Never = append(f.Never[:len(f.Never):len(f.Never)], never...)
		}
	}
}

// at tells where a goal lies whose event comes after a node.
func (b *builder) at(f *Frontier, n *node) {
	f.Off, f.To = n.off, Far
	if to, ok := b.to[n]; ok {
		f.To = to
	}
}

// left finds the nodes that lie off the way, and how far others are from where it was
// left.
func (b *builder) left() {
	best := 0
	for _, r := range b.f.runs {
		best = max(best, r.kept)
	}
	for _, r := range b.f.runs {
		if len(r.left) > 0 && b.to == nil {
			b.to = map[*node]int{}
		}
		last := map[int32]*node{}
		for i := range r.steps {
			s, n := &r.steps[i], r.trail[i]
			until, left := r.left[b.f.threads[s.thread].key]
			if !left {
				continue
			}
			if s.count <= until {
				last[s.thread] = n
				continue
			}
			for before := last[s.thread]; n != nil && n != before && n.parent != nil; n = n.parent {
				n.off = true // a step can make several nodes
			}
			last[s.thread] = r.trail[i]
		}
		for t := range b.f.threads {
			key := b.f.threads[t].key
			if _, left := r.left[key]; !left {
				continue
			}
			n := last[int32(t)]
			for n != nil && n.off {
				n = n.parent
			}
			for d := keptWeight * (best - r.kept); n != nil; n, d = n.parent, d+1 {
				if old, ok := b.to[n]; ok && old <= d {
					break
				}
				b.to[n] = d
			}
		}
	}
}
