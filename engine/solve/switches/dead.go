package switches

import "github.com/hocket-dev/hocket/engine/constraint"

// findDead marks the events with which a thread leaves the way to what the goal
// wants of it.
func (b *bounded) findDead() {
	kids := map[constraint.EventID][]constraint.EventID{} // of events on ways only
	way := make([]bool, len(b.sys.Events))
	roots := make([]bool, len(b.sys.Threads))
	mark := func(e constraint.EventID) {
		if e == constraint.NoEvent {
			return
		}
		roots[b.sys.Events[e].Thread] = true
		for ; e != constraint.NoEvent && !way[e]; e = b.sys.Events[e].Prev {
			way[e] = true
		}
	}
	for _, e := range b.goal.Happens() {
		mark(e)
	}
	stops := map[constraint.EventID]bool{} // threads stand right after these
	first := map[constraint.ThreadID]bool{}
	for _, e := range b.goal.Stands() {
		p := b.sys.Events[e].Prev
		mark(p)
		if p == constraint.NoEvent {
			first[b.sys.Events[e].Thread] = true
		} else {
			stops[p] = true
		}
	}
	hasWay := map[constraint.EventID]bool{} // an event on the way follows
	for i := range b.sys.Events {
		if p := b.sys.Events[i].Prev; p != constraint.NoEvent && way[p] {
			kids[p] = append(kids[p], constraint.EventID(i))
			hasWay[p] = hasWay[p] || way[i]
		}
	}
	for i := range b.sys.Events {
		ev := &b.sys.Events[i]
		if ev.Prev == constraint.NoEvent {
			b.dead[i] = first[ev.Thread] || roots[ev.Thread] && !way[i]
		}
	}
	for p, after := range kids {
		for _, e := range after {
			b.dead[e] = stops[p] || hasWay[p] && !way[e]
		}
	}
}

// findPrivate marks events whose object no other thread uses, or that have
// none, unless the goal wants something to happen before them. Spawn is not private: a new thread could run.
func (b *bounded) findPrivate() {
	const several = -2
	user := make([]constraint.ThreadID, len(b.sys.Objects))
	for o := range user {
		user[o] = nobody
	}
	use := func(o constraint.ObjID, t constraint.ThreadID) {
		if user[o] == nobody {
			user[o] = t
		} else if user[o] != t {
			user[o] = several
		}
	}
	for i := range b.sys.Events {
		ev := &b.sys.Events[i]
		use(ev.Obj, ev.Thread)
		for _, c := range ev.Cases {
			use(c.Obj, ev.Thread)
		}
	}
	for i := range b.sys.Events {
		ev := &b.sys.Events[i]
		switch ev.Op {
		case constraint.Nop, constraint.Start, constraint.End:
			b.private[i] = true
		case constraint.Spawn, constraint.Default:
		default:
			b.private[i] = ev.Obj != 0 && user[ev.Obj] != several
		}
	}
	for _, d := range b.goal.Order {
		b.private[d.After] = false // no other thread can tell when it happens, but the goal can
	}
}
