package forest

import "github.com/hocket-dev/hocket/engine/constraint"

// Stand is where a goroutine can stand before its next operation.
type Stand struct {
	After constraint.EventID // what it has performed last; NoEvent: nothing
	Next  []constraint.EventID
}

// Stands are the points in the goroutines' histories at which the next operation
// is one that may wait, at a place for which at holds (as Trace.Sites has it), or
// at one that is not known. In the system made last.
func (f *Forest) Stands(at func(site string) bool) (all []Stand) {
	next := map[*node][]constraint.EventID{}
	for i := range f.last.sys.Events {
		n := f.last.owner(constraint.EventID(i))
		next[n] = append(next[n], constraint.EventID(i))
	}
	f.last.eachDecision(func(n *node) {
		if d := &n.next; d.known && waits(d) && (d.place == "" || at(d.place)) {
			s := Stand{After: constraint.NoEvent, Next: next[n]}
			if n.parent != nil {
				s.After = n.id
			}
			all = append(all, s)
		}
	})
	return all
}
