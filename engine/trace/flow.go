package trace

import "slices"

// Switches returns the places where another goroutine went on, in order. The
// runtime's own events (of timers) are not counted as switches.
func (t *Trace) Switches() []Switch {
	var out []Switch
	gaveUp := map[GID]bool{} // blocked or ended since its last event
	last := GID(0)
	for i, e := range t.Events {
		if e.G == 0 {
			continue
		}
		if e.G != last && last != 0 {
			out = append(out, Switch{From: last, To: e.G, At: i, Preempt: !gaveUp[last]})
		}
		last = e.G
		gaveUp[e.G] = e.Op == OpBlock || e.Op == OpEnd
	}
	return out
}

// Flow is a data-flow edge: the read saw what the write left. Both are indices
// into Trace.Events.
type Flow struct {
	Write, Read int
}

// DataFlow returns the write-to-read edges over plain scalars, atomics,
// sync.Map and from sends to receives, in the order of the reads. A range
// write that covers a scalar counts as its write.
func (t *Trace) DataFlow() []Flow {
	f := &flows{t: t, last: map[ObjID]int{}, ranges: t.rangeWrites(), chans: map[ObjID]*chanFlow{}}
	for i, e := range t.Events {
		switch e.Op {
		case OpRead, OpAtomicLoad, OpMapRead:
			f.read(i)
		case OpWrite, OpAtomicStore, OpMapWrite:
			f.last[e.Obj] = i
		case OpAtomicRMW:
			f.read(i)
			f.last[e.Obj] = i
		case OpAtomicCAS:
			f.read(i)
			if e.Value == 1 {
				f.last[e.Obj] = i
			}
		case OpWriteRange:
			f.ranges.set(t.Object(e.Obj).Addr, max(e.Aux, 1), i)
		case OpSend, OpRecv, OpSelect:
			f.channel(i)
		}
	}
	return f.sorted()
}

type flows struct {
	t      *Trace
	last   map[ObjID]int
	ranges *stamps
	chans  map[ObjID]*chanFlow
	out    []Flow
}

// chanFlow pairs the k-th send with the k-th receive. With a waiting partner
// the receive may complete before the send is recorded.
type chanFlow struct {
	sends, recvs []int
}

// rangeWrites prepares stamps for the addresses that are accessed as scalars.
func (t *Trace) rangeWrites() *stamps {
	addrs := make([]uint64, 0, len(t.Objects))
	for _, o := range t.Objects {
		addrs = append(addrs, o.Addr)
	}
	return newStamps(addrs)
}

func (f *flows) read(i int) {
	e := f.t.Events[i]
	w, ok := f.last[e.Obj]
	if !ok {
		w = -1
	}
	if o := f.t.Object(e.Obj); e.Op == OpRead || e.Op == OpAtomicLoad {
		if r := f.ranges.get(o.Addr); r >= o.Born {
			w = max(w, r)
		}
	}
	if w >= 0 {
		f.out = append(f.out, Flow{w, i})
	}
}

func (f *flows) channel(i int) {
	e := f.t.Events[i]
	send, recv := channelRole(e)
	if !send && !recv {
		return
	}
	c := f.chans[e.Obj]
	if c == nil {
		c = &chanFlow{}
		f.chans[e.Obj] = c
	}
	if send {
		c.sends = append(c.sends, i)
	} else {
		c.recvs = append(c.recvs, i)
	}
	if n := min(len(c.sends), len(c.recvs)); n > 0 && (send && n == len(c.sends) || recv && n == len(c.recvs)) {
		f.out = append(f.out, Flow{c.sends[n-1], c.recvs[n-1]})
	}
}

func (f *flows) sorted() []Flow {
	slices.SortStableFunc(f.out, func(a, b Flow) int { return a.Read - b.Read })
	return f.out
}

// channelRole reports whether an event put a value into or took one from a
// channel. A receive by select from a closed channel looks like any other.
func channelRole(e Event) (send, recv bool) {
	switch e.Op {
	case OpSend:
		return e.Value == 1, false
	case OpRecv:
		return false, e.Value == 1
	case OpSelect:
		if int64(e.Value) < 0 || e.Obj == 0 {
			return false, false
		}
		send = e.Aux>>32&1 == 1
		return send, !send
	}
	return false, false
}
