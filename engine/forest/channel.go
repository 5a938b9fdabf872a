package forest

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/trace"
)

// channel converts channel operations. All of them are selects with one case
// or more: which case was taken, or that none was, is what came of it.
func (r *reader) channel(s *step, e *trace.Event) bool {
	switch e.Op {
	case trace.OpSend:
		s.op, s.arms, s.took = constraint.Send, []arm{{r.chanOf(e), true}}, 0
		if s.deflt = e.Aux&trace.AuxTry != 0; e.Value != 1 {
			s.giveUp()
		}
	case trace.OpRecv:
		s.op, s.arms, s.took, s.out = constraint.Recv, []arm{{r.chanOf(e), false}}, 0, int8(e.Value)
		if s.deflt = e.Aux&trace.AuxTry != 0; e.Value == 0 {
			s.giveUp()
		}
	case trace.OpClose:
		s.op, s.thing = constraint.Close, r.chanOf(e)
		return true
	case trace.OpSelect:
		r.chosen(s, e)
	default:
		return false
	}
	if s.took >= 0 {
		s.thing = s.arms[s.took].thing
	}
	return true
}

func (s *step) giveUp() { s.op, s.out, s.took, s.thing = constraint.Default, gaveUp, -1, 0 }

// chosen converts a select; its cases were recorded before it.
func (r *reader) chosen(s *step, e *trace.Event) {
	s.arms = r.arms[e.G]
	delete(r.arms, e.G)
	n := int(uint32(e.Aux))
	if len(s.arms) != n {
		r.f.doubt("the cases of a select are not recorded")
		s.arms = nil
	}
	s.deflt = e.Aux>>33&1 == 1
	at := int(int64(e.Value))
	if at < 0 {
		s.deflt = true
		s.giveUp()
		return
	}
	if at >= len(s.arms) {
		s.arms, at = []arm{{r.chanOf(e), sends(e)}}, 0
	}
	s.took = int32(at)
	s.op, s.out = constraint.Recv, constraint.Received
	if s.arms[at].send {
		s.op, s.out = constraint.Send, 0
	}
}

func sends(e *trace.Event) bool {
	return e.Op == trace.OpSend || e.Op == trace.OpSelect && e.Aux>>32&1 == 1
}

// chanOf is the channel of an event, which may be nil.
func (r *reader) chanOf(e *trace.Event) int32 {
	if e.Obj == 0 {
		id, _ := r.f.table.intern(thingKey{kind: constraint.Channel, name: "nil"}, 0)
		r.f.table.things[id].absent = true
		r.f.table.use(id, r.threads[e.G], false)
		return id
	}
	id := r.thing(e, thingKey{kind: constraint.Channel}, 0, true)
	switch e.Op {
	case trace.OpSend, trace.OpRecv, trace.OpClose, trace.OpSelectCase:
		r.f.table.things[id].cap = int(e.Aux >> 32)
	}
	return id
}

// standing notes where the goroutines stood when the run ended.
func (r *reader) standing() {
	at := func(e *trace.Event, blocked, waits bool) {
		if e.G == 0 || int(e.G) >= len(r.threads) || r.threads[e.G] < 0 {
			return
		}
		id := r.threads[e.G]
		end := r.run.ends[id]
		if end.how != open && end.how != failed {
			return
		}
		s := r.plain(e)
		s.stood = !waits
		switch next, ok := r.before(s, e); {
		case !ok:
		case end.how == failed:
			r.run.ends[id] = ending{how: failed, next: next, inside: true}
		default:
			r.run.ends[id] = ending{how: stands, next: next, blocked: blocked, waits: waits}
		}
	}
	if main := r.threads[1]; main >= 0 && r.run.ends[main].how == open && r.returned() {
		r.run.ends[main] = ending{how: ended}
	}
	for _, b := range r.t.Outcome.Blocked {
		at(&trace.Event{Seq: len(r.t.Events), G: b.G, Op: b.Op, Obj: b.Obj, Stack: b.Stack, Aux: r.room[b.G]}, true, true)
	}
	for i := range r.t.Pending {
		e := r.t.Pending[i]
		e.Seq = len(r.t.Events)
		e.Count++ // of the operation itself
		at(&e, false, false)
	}
	// Another goroutine's failure ended the run.
	for _, b := range r.waiting() {
		at(&trace.Event{Seq: len(r.t.Events), G: b.G, Op: trace.Op(b.Aux), Obj: b.Obj, Stack: b.Stack, Count: b.Count, Aux: r.room[b.G]}, false, true)
	}
}

// returned is true if main did, which is no event: it waits a little then.
func (r *reader) returned() bool {
	switch r.t.Outcome.Kind {
	case trace.Passed, trace.Raced, trace.Leaked, trace.TestFailed:
		return !r.t.Outcome.Cut
	}
	for i := len(r.t.Events) - 1; i >= 0; i-- {
		if e := &r.t.Events[i]; e.G == 1 {
			_, user := r.t.UserFrame(e.Stack)
			return e.Op == trace.OpBlock && e.Aux == 0 && !user
		}
	}
	return false
}

// waiting are the latest OpBlock of goroutines that have not gone on since,
// woken or not.
func (r *reader) waiting() (out []*trace.Event) {
	last := map[trace.GID]*trace.Event{}
	for i := range r.t.Events {
		last[r.t.Events[i].G] = &r.t.Events[i]
	}
	for g := range r.t.Goroutines {
		if e := last[trace.GID(g)]; e != nil && e.Op == trace.OpBlock && e.Aux != 0 {
			out = append(out, e)
		}
	}
	return out
}

// before is the operation that a goroutine stands before, nothing of which has
// come yet.
func (r *reader) before(s step, e *trace.Event) (step, bool) {
	switch e.Op {
	case trace.OpWGAdd, trace.OpWGDone:
		// Adding is always possible, and taking away no more than taking away 1.
		ok := r.convert(&s, e)
		if s.delta = 1; e.Op == trace.OpWGDone {
			s.delta = -1
		}
		return s, ok
	case trace.OpSend, trace.OpRecv:
		s.op, s.arms, s.thing = constraint.Recv, []arm{{r.chanOf(e), e.Op == trace.OpSend}}, 0
		s.deflt = s.stood // what waits has none
		return s, true
	case trace.OpSelect:
		s.op, s.arms, s.deflt = constraint.Recv, r.arms[e.G], s.stood
		return s, len(s.arms) > 0
	case trace.OpCondWait:
		if r.waits(s.thread) { // the ticket is taken
			s.op, s.thing = constraint.CondWake, r.sync(e, constraint.Cond)
			return s, true
		}
	case trace.OpOnceDo:
		s.op = constraint.Read
		return s, false
	}
	return s, r.convert(&s, e)
}

// waits is true if a thread's last operation on a Cond was taking a ticket.
func (r *reader) waits(thread int32) bool {
	for i := len(r.run.steps) - 1; i >= 0; i-- {
		if s := &r.run.steps[i]; s.thread == thread {
			switch s.op {
			case constraint.CondWait:
				return true
			case constraint.CondWake:
				return false
			}
		}
	}
	return false
}
