package gen

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// pipeline is what the threads of a Pipeline program share. Half of the workers
// are producers. Values are producer<<32 + number, so that each is sent once.
type pipeline struct {
	*sim
	shape     Shape
	producers int
	items     int // of each producer
	in, out   constraint.ObjID
	wg, total constraint.ObjID // producers at work; what the collector adds to

	// Two workers, a and b, meet before the send of the items that they took when
	// 9/10 of the work is done. Then a sends, then b.
	passed              int // items that workers took
	aHere, bHere, aSent bool
	aSend, bSend        constraint.EventID
	aRecv, bRecv        constraint.EventID // the collector's receives of these
	taken               []constraint.EventID
	lastSend, closer    constraint.EventID
}

// perItem is the number of events of one item: send, receive, send, receive,
// and the collector's read and write.
const perItem = 6

func makePipeline(s *sim, shape Shape) []Goal {
	p := &pipeline{sim: s, shape: shape, producers: max(1, shape.Threads/2)}
	p.items = max(6, shape.Events/perItem/p.producers)
	channel := func(name string) constraint.ObjID {
		return s.object(constraint.Object{Kind: constraint.Channel, Name: name, Cap: shape.Cap})
	}
	p.in, p.out = channel("in"), channel("out")
	p.wg = s.object(constraint.Object{Kind: constraint.WaitGroup, Name: "wg"})
	p.total = s.object(constraint.Object{Kind: constraint.Location, Name: "total"})

	workers := max(2, shape.Threads-p.producers)
	p.aSend, p.bSend = constraint.NoEvent, constraint.NoEvent
	s.thread("collector", p.collector(workers))
	for i := range p.producers {
		s.thread(fmt.Sprintf("producer#%d", i+1), p.producer(i))
	}
	for i := range workers {
		s.thread(fmt.Sprintf("worker#%d", i+1), p.worker(i))
	}
	s.thread("closer", p.closes())
	if !s.run() || !p.aSent || p.bSend == constraint.NoEvent {
		return nil
	}
	return p.goals()
}

// collector starts all others and receives all items.
func (p *pipeline) collector(workers int) func(*thread) bool {
	started, received, ended := false, 0, false
	return func(t *thread) bool {
		switch {
		case !started:
			started = true
			t.steps = append(t.steps, step{op: constraint.Add, obj: p.wg, delta: int64(p.producers)})
			for i := range p.producers + workers + 1 {
				t.steps = append(t.steps, step{op: constraint.Spawn, child: constraint.ThreadID(i + 1)})
			}
		case received < p.items*p.producers:
			received++
			recv := step{op: constraint.Recv, obj: p.out}
			if received%8 == 0 {
				recv.cond = parity
			}
			t.steps = append(t.steps, recv,
				step{op: constraint.Read, obj: p.total},
				step{op: constraint.Write, obj: p.total, plus: 1, sum: true})
		case !ended:
			ended = true
			t.steps = append(t.steps, step{op: constraint.End})
		default:
			return false
		}
		return true
	}
}

// producer sends its items and says that it is done.
func (p *pipeline) producer(i int) func(*thread) bool {
	number := -1
	return func(t *thread) bool {
		number++
		switch {
		case number == 0:
			t.steps = []step{{op: constraint.Start}}
		case number <= p.items:
			send := step{op: constraint.Send, obj: p.in, plus: item(i, number)}
			if i == 0 {
				send.id = &p.lastSend
			}
			t.steps = []step{send}
		case number == p.items+1:
			t.steps = []step{{op: constraint.Add, obj: p.wg, delta: -1}, {op: constraint.End}}
		default:
			return false
		}
		return true
	}
}

func item(producer, number int) uint64 { return uint64(producer)<<32 + uint64(number) }

// worker passes items on until there are none.
func (p *pipeline) worker(i int) func(*thread) bool {
	started, met := false, i > 1
	return func(t *thread) bool {
		switch {
		case !started:
			started, t.value = true, 0
			t.steps = []step{{op: constraint.Start}, {op: constraint.Recv, obj: p.in}}
		case t.value == none:
			if p.sys.Events[t.last].Op == constraint.End {
				return false
			}
			t.steps = []step{{op: constraint.End}}
		default:
			if i == 0 {
				p.taken = append(p.taken, t.read)
			}
			send := step{op: constraint.Send, obj: p.out, sum: true}
			if p.passed++; !met && p.passed >= p.items*p.producers*9/10 {
				met = true
				t.steps = p.meeting(i, send)
			} else {
				t.steps = []step{send}
			}
			t.steps = append(t.steps, step{op: constraint.Recv, obj: p.in})
		}
		return true
	}
}

// meeting is the send of a (worker 0) or b (worker 1) after they met.
func (p *pipeline) meeting(i int, send step) []step {
	if i == 0 {
		send.id, send.set = &p.aSend, &p.aSent
		return []step{{set: &p.aHere}, {await: &p.bHere}, send}
	}
	send.id, send.await = &p.bSend, &p.aSent
	return []step{{set: &p.bHere}, send}
}

// closes closes the first channel after all was sent.
func (p *pipeline) closes() func(*thread) bool {
	planned := false
	return func(t *thread) bool {
		if planned {
			return false
		}
		planned = true
		t.steps = []step{
			{op: constraint.Start}, {op: constraint.Wait, obj: p.wg},
			{op: constraint.Close, obj: p.in, id: &p.closer}, {op: constraint.End}}
		return true
	}
}

// goals about the sends that could be swapped, and about what channels forbid.
func (p *pipeline) goals() []Goal {
	p.findReceive()
	var goals []Goal
	other := compare(constraint.TNe, symbol(p.aRecv), bits(p.sent[p.aSend]))
	if p.histories {
		alt := p.alternative(p.aRecv, other)
		goals = append(goals, Goal{
			Goal:    constraint.Goal{Name: "another item", Include: []constraint.EventID{alt}},
			Witness: p.swapped(alt)})
	} else {
		goals = append(goals, Goal{
			Goal:    constraint.Goal{Name: "another item", Include: []constraint.EventID{p.aRecv}, Cond: []*constraint.Term{other}},
			Witness: p.swapped(p.aRecv)})
		goals = append(goals, p.overtaking())
	}
	closed := p.alternative(p.taken[len(p.taken)-1], nil)
	p.sys.Events[closed].Outcome = constraint.Closed
	return append(goals,
		Goal{Goal: constraint.Goal{Name: "closed too early",
			Order: []constraint.Edge{{Before: closed, After: p.lastSend}}}},
		Goal{Goal: constraint.Goal{Name: "send meets close", Include: []constraint.EventID{p.closer},
			Stop: []constraint.EventID{p.lastSend}}})
}

// overtaking: one worker takes two items of one producer in the wrong order.
func (p *pipeline) overtaking() Goal {
	n := len(p.taken)
	early, late := p.taken[n/2], p.taken[n-1]
	return Goal{Goal: constraint.Goal{Name: "overtaken in a queue",
		Include: []constraint.EventID{late},
		Cond: []*constraint.Term{
			compare(constraint.TEq, symbol(early), bits(item(0, p.items-1))),
			compare(constraint.TEq, symbol(late), bits(item(0, p.items-2)))}}}
}

// findReceive looks up which receive took what a sent. It asks nothing of the
// value, or b's might be none that it allows.
func (p *pipeline) findReceive() {
	var sends, recvs []constraint.EventID
	for e := range p.sys.Events {
		switch ev := &p.sys.Events[e]; {
		case ev.Obj == p.out && ev.Op == constraint.Send:
			sends = append(sends, constraint.EventID(e))
		case ev.Obj == p.out && ev.Op == constraint.Recv:
			recvs = append(recvs, constraint.EventID(e))
		}
	}
	p.aRecv = recvs[slices.Index(sends, p.aSend)]
	if !p.histories {
		p.sys.Events[p.aRecv].Cond = nil
	}
}

// swapped: b sends before a, and what the collector received from a is now b's.
// Between the two sends nothing that b waits for happens, since b stood ready.
func (p *pipeline) swapped(recv constraint.EventID) func() []constraint.EventID {
	return func() []constraint.EventID {
		order := p.before(p.aSend)()
		if p.shape.Cap == 0 {
			return append(order, p.bSend, recv)
		}
		order = append(order, p.bSend)
		// The collector goes on until it stands before the receive.
		for _, e := range Recorded(p.sys)[p.sys.Events[p.aSend].At:] {
			if e == p.aRecv {
				break
			}
			if p.sys.Events[e].Thread == 0 {
				order = append(order, e)
			}
		}
		return append(order, recv)
	}
}
