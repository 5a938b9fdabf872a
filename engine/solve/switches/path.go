package switches

import "github.com/hocket-dev/hocket/engine/constraint"

// step is a move of a search while a thread runs; without an event the thread
// only comes to park.
type step struct {
	running constraint.ThreadID
	move    move
	left    leave // how the thread before was left, if that was another
}

// leave is how a thread stops running.
type leave struct {
	parks     constraint.EventID // the operation that it waits in, or NoEvent
	preempted bool
	ends      bool // it has nothing more to do
}

// found reads a path.
func (b *bounded) found() *found {
	f := &found{order: b.m.Performed()}
	running := nobody
	for _, st := range b.path {
		if st.running != running {
			if running != nobody {
				f.switches++
				last := &f.turns[len(f.turns)-1]
				last.Parks, last.Ends = st.left.parks, st.left.ends
				if st.left.preempted {
					f.preemptions++
				}
			}
			running = st.running
			f.turns = append(f.turns, Turn{Thread: running, Parks: constraint.NoEvent})
		}
		turn := &f.turns[len(f.turns)-1]
		for _, e := range []constraint.EventID{st.move.first, st.move.second} {
			if e != constraint.NoEvent && b.sys.Events[e].Thread == running {
				turn.Events = append(turn.Events, e)
			}
		}
	}
	return f
}
