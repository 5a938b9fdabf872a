package trace

import (
	"fmt"
	"strings"
)

// channelRule: the k-th receive takes what the k-th send brought, a channel
// holds no more than its capacity, is closed once, and is empty when a receive
// finds it closed. An operation whose partner waits may be recorded before the
// partner's, so that goroutines blocked in a channel operation count as having
// done it.
type channelRule struct {
	t       *Trace
	chans   map[ObjID]*chanState
	pending map[GID]Event // the OpBlock of goroutines blocked in a channel operation
}

type chanState struct {
	sends, recvs int64
	closed       int  // event, -1 = open
	vague        bool // counts are no longer exact: select took from a closed channel
}

func newChannelRule(t *Trace) *channelRule {
	return &channelRule{t: t, chans: map[ObjID]*chanState{}, pending: map[GID]Event{}}
}

func (r *channelRule) step(i int, e Event) string {
	if e.Op == OpBlock {
		switch Op(e.Aux) {
		case OpSend, OpRecv, OpSelect:
			r.pending[e.G] = e
		}
		return ""
	}
	switch e.Op {
	case OpSend, OpRecv, OpClose, OpSelect:
	default:
		return ""
	}
	before, wasPending := r.pending[e.G]
	delete(r.pending, e.G)
	if !r.t.trusted(e.Obj) || r.byTimer(e.Obj) {
		return ""
	}
	c := r.chans[e.Obj]
	if c == nil {
		c = &chanState{closed: -1}
		r.chans[e.Obj] = c
	}
	if e.Op == OpClose {
		if c.closed >= 0 {
			return fmt.Sprintf("closed at event %d already", c.closed)
		}
		c.closed = i
		return ""
	}
	return r.transfer(c, e, wasPending && before.Seq < c.closed)
}

// transfer checks a send or receive; early means that it began before the close.
func (r *channelRule) transfer(c *chanState, e Event, early bool) string {
	send, recv := channelRole(e)
	switch {
	case e.Op == OpRecv && e.Value == 2 && c.closed < 0:
		return "found closed but nobody closed it"
	case e.Op == OpRecv && e.Value == 2 && !c.vague && c.recvs+r.waiting(e.Obj, OpRecv) < c.sends:
		return fmt.Sprintf("found empty after %d sends and %d receives", c.sends, c.recvs)
	case e.Op == OpSelect && recv && c.closed >= 0:
		c.vague = true
	case send && c.closed >= 0 && !early:
		return fmt.Sprintf("sent on the channel closed at event %d", c.closed)
	case send:
		c.sends++
		room := int64(e.Aux >> 32)
		if e.Op == OpSelect {
			return "" // its Aux is not about the capacity
		}
		if !c.vague && c.sends > c.recvs+room+r.waiting(e.Obj, OpRecv) {
			return fmt.Sprintf("send %d with %d receives and room for %d", c.sends, c.recvs, room)
		}
	case recv:
		c.recvs++
		if !c.vague && c.recvs > c.sends+r.waiting(e.Obj, OpSend) {
			return fmt.Sprintf("receive %d after %d sends", c.recvs, c.sends)
		}
	}
	return ""
}

// waiting counts goroutines that may have done op on the channel although it
// is not recorded yet.
func (r *channelRule) waiting(obj ObjID, op Op) int64 {
	n := int64(0)
	for _, b := range r.pending {
		if Op(b.Aux) == OpSelect || Op(b.Aux) == op && b.Obj == obj {
			n++
		}
	}
	return n
}

// byTimer reports whether package time made the channel: the runtime sends on
// such channels, without an event.
func (r *channelRule) byTimer(id ObjID) bool {
	fs := r.t.Stack(r.t.Object(id).Alloc)
	return len(fs) > 0 && strings.HasPrefix(fs[0].Func, "time.")
}
