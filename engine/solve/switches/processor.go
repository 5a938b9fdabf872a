package switches

import "github.com/hocket-dev/hocket/engine/constraint"

// processor is a Machine with what the runtime knows besides: who waits in the
// queue of an object.
type processor struct {
	sys     *constraint.System
	m       *constraint.Machine
	parked  []bool // by thread: it waits in an operation that it has begun
	readers []bool // by object: a lock that readers use
}

func newProcessor(sys *constraint.System, m *constraint.Machine) *processor {
	p := &processor{sys: sys, m: m, parked: make([]bool, len(sys.Threads)), readers: make([]bool, len(sys.Objects))}
	for i := range sys.Events {
		switch ev := &sys.Events[i]; ev.Op {
		case constraint.RLock, constraint.RUnlock, constraint.TryRLock:
			p.readers[ev.Obj] = true
		}
	}
	return p
}

// again is a processor of the same system on which nothing was performed.
func (p *processor) again(fresh *constraint.Machine) *processor {
	return &processor{sys: p.sys, m: fresh, parked: make([]bool, len(p.parked)), readers: p.readers}
}

// handed says that a thread that waits in e gets it done by another. A writer's
// lock is handed over by the last reader, but not by another writer; which of
// the two it is, is left open.
func (p *processor) handed(e constraint.EventID) bool {
	switch ev := &p.sys.Events[e]; ev.Op {
	case constraint.Send, constraint.Recv, constraint.Wait, constraint.CondWake, constraint.RLock:
		return true
	case constraint.Lock:
		return p.readers[ev.Obj]
	}
	return false
}

// do performs an event, or the two of a rendezvous. Who waited does not any more.
func (p *processor) do(first, second constraint.EventID) error {
	if err := p.m.Perform(first); err != nil {
		return err
	}
	if second != constraint.NoEvent {
		if err := p.m.Perform(second); err != nil {
			p.m.Undo()
			return err
		}
		p.parked[p.sys.Events[second].Thread] = false
	}
	p.parked[p.sys.Events[first].Thread] = false
	return nil
}

// canGoOn says that thread t would not park in its next operation.
func (p *processor) canGoOn(t constraint.ThreadID) bool {
	for _, e := range p.m.Next(t) {
		if p.meets(e) && p.awaited(e) || !p.meets(e) && !p.m.Blocked(e) {
			return true
		}
	}
	return false
}

// meets says that e is one half of a rendezvous.
func (p *processor) meets(e constraint.EventID) bool {
	ev := &p.sys.Events[e]
	return (ev.Op == constraint.Send || ev.Op == constraint.Recv && ev.Outcome == constraint.Received) &&
		p.sys.Objects[ev.Obj].Cap == 0
}

// awaited says that a parked thread waits in the other half of e.
func (p *processor) awaited(e constraint.EventID) bool {
	t := p.sys.Events[e].Thread
	for u, waits := range p.parked {
		if !waits || constraint.ThreadID(u) == t {
			continue
		}
		for _, o := range p.m.Next(constraint.ThreadID(u)) {
			if p.halves(e, o) {
				return true
			}
		}
	}
	return false
}

// halves says that two events can be a rendezvous.
func (p *processor) halves(a, b constraint.EventID) bool {
	x, y := &p.sys.Events[a], &p.sys.Events[b]
	return x.Obj == y.Obj && x.Op != y.Op && p.meets(a) && p.meets(b)
}
