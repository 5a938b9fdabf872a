package forest

import "github.com/hocket-dev/hocket/engine/constraint"

// Stand is where a goroutine can stand before its next operation.
type Stand struct {
	Key    uint64 // the same in later systems of the forest
	Thread int32
	Site   string             // of the next operation, as Trace.Sites has it; "" if it is not known
	After  constraint.EventID // what it has performed last; NoEvent: nothing
	Next   []constraint.EventID
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
			s := Stand{Key: n.key, Thread: n.thread, Site: d.place, After: constraint.NoEvent, Next: next[n]}
			if n.parent != nil {
				s.After = n.id
			}
			all = append(all, s)
		}
	})
	return all
}

// StuckAt asks whether everybody can come to wait for ever with goroutines at given
// stands, of different goroutines. In the system made last.
func (f *Forest) StuckAt(at []Stand) Frontier {
	b := f.last
	g := constraint.Goal{Name: "the state that is looked for", Stuck: true}
	key := uint64(0x57a7e)
	for _, s := range at {
		g.Stop = append(g.Stop, s.Next[0])
		key = hash(key, s.Key)
	}
	return Frontier{Key: key, Name: g.Name, Goal: g, Failure: true, Thread: b.f.threads[at[0].Thread].path, Never: b.never(), Given: b.panics()}
}

// Fails are the points in the goroutines' histories after which a run's program ended,
// each without its next operation. In the system made last.
func (f *Forest) Fails() (all []Stand) {
	f.last.eachDecision(func(n *node) {
		if n.next.fails && n.parent != nil {
			all = append(all, Stand{Key: n.key, Thread: n.thread, Site: n.place, After: n.id})
		}
	})
	return all
}

// FailsAt asks whether a goroutine can come to where it ended the program, with others
// at given stands.
func (f *Forest) FailsAt(fails Stand, at []Stand) Frontier {
	g := constraint.Goal{Name: "the failure that is looked for", Include: []constraint.EventID{fails.After}}
	key := hash(fails.Key, 0x57a7f)
	for _, s := range at {
		g.Stop = append(g.Stop, s.Next[0])
		key = hash(key, s.Key)
	}
	t := &f.threads[fails.Thread]
	return Frontier{Key: key, Name: g.Name, Goal: g, Failure: true, Thread: t.path, Last: t.key}
}

// SiteOf is where an event of the system made last is, or would be, as Trace.Sites has
// it; "" if that is not known.
func (f *Forest) SiteOf(e constraint.EventID) string {
	if n := f.last.nodes[e]; n != nil {
		return n.place
	}
	return f.last.owner(e).next.place
}
