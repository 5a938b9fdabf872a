package forest

import "github.com/hocket-dev/hocket/engine/constraint"

// Reached is the latest event that goroutine key had performed when a run had
// come to position seq of its trace, in the system made last. NoEvent: none that
// is known. Runs are numbered as they were added, from 0.
func (f *Forest) Reached(run int, key uint64, seq int) constraint.EventID {
	r := f.runs[run]
	last, at := constraint.NoEvent, int32(-1)
	for i := range r.steps {
		s := &r.steps[i]
		if f.threads[s.thread].key == key && int(s.seq) < seq && s.seq > at && r.trail[i].parent != nil {
			last, at = r.trail[i].id, s.seq
		}
	}
	return last
}

// Order is the events of the run added as number run, as they took effect, in
// the system made last.
func (f *Forest) Order(run int) []constraint.EventID {
	var order []constraint.EventID
	seen := map[constraint.EventID]bool{}
	for _, n := range f.runs[run].trail {
		var fresh []constraint.EventID // a step can make several nodes
		for ; n.parent != nil && !seen[n.id]; n = n.parent {
			seen[n.id] = true
			fresh = append(fresh, n.id)
		}
		for i := len(fresh) - 1; i >= 0; i-- {
			order = append(order, fresh[i])
		}
	}
	return order
}

// At is the event that a run has at position seq of its trace, in the system made last:
// NoEvent if it was left out. own is false if the event is told as a part of an earlier one
// of its goroutine.
func (f *Forest) At(run, seq int) (e constraint.EventID, own bool) {
	r := f.runs[run]
	for i := range r.steps {
		if int(r.steps[i].seq) != seq || r.trail[i].parent == nil {
			continue
		}
		own = true
		for k := range i {
			own = own && r.trail[k] != r.trail[i]
		}
		return r.trail[i].id, own
	}
	return constraint.NoEvent, false
}
