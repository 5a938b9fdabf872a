package constraint

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// longChains is a run of threads that lock, read, write and unlock, send and
// receive, with what each read saw as a condition. Its recorded order is valid.
func longChains(events, threads, locks int) *System {
	r := rand.New(rand.NewPCG(7, uint64(events)))
	s := &System{Objects: make([]Object, 1, 2*locks+2), Threads: make([]Thread, threads)}
	for range locks {
		s.Objects = append(s.Objects, Object{Kind: Mutex}, Object{Kind: Location})
	}
	s.Objects = append(s.Objects, Object{Kind: Channel, Cap: 1 << 20})
	channel := ObjID(len(s.Objects) - 1)
	last := make([]EventID, threads)
	for t := range last {
		last[t] = NoEvent
	}
	memory := make([]uint64, locks)
	queue := []uint64{}
	add := func(t int, ev Event) EventID {
		ev.Thread, ev.Prev, ev.Partner, ev.Child, ev.At = ThreadID(t), last[t], NoEvent, -1, len(s.Events)
		last[t] = EventID(len(s.Events))
		s.Events = append(s.Events, ev)
		return last[t]
	}
	for len(s.Events) < events {
		t, l := r.IntN(threads), r.IntN(locks)
		lock, loc := ObjID(1+2*l), ObjID(2+2*l)
		add(t, Event{Op: Lock, Obj: lock})
		e := EventID(len(s.Events))
		add(t, Event{Op: Read, Obj: loc, Cond: []*Term{is(e, memory[l])}})
		memory[l] = uint64(r.IntN(8))
		add(t, Event{Op: Write, Obj: loc, Val: number(memory[l])})
		add(t, Event{Op: Unlock, Obj: lock})
		if r.IntN(4) > 0 {
			continue
		}
		if len(queue) > 0 && r.IntN(2) == 0 {
			e := EventID(len(s.Events))
			add(t, Event{Op: Recv, Obj: channel, Outcome: Received, Cond: []*Term{is(e, queue[0])}})
			queue = queue[1:]
		} else {
			add(t, Event{Op: Send, Obj: channel, Val: number(memory[l])})
			queue = append(queue, memory[l])
		}
	}
	return s
}

// recorded is the order by At, all events happening.
func (s *System) recorded() []EventID {
	order := make([]EventID, len(s.Events)+1)
	for i := range order {
		order[i] = EventID(i)
	}
	return order
}

// disturbed moves blocks of the recorded order to other places and keeps the
// program order.
func disturbed(s *System, moves int) []EventID {
	r := rand.New(rand.NewPCG(9, 9))
	key := make([]int, len(s.Events))
	for e := range key {
		key[e] = e
	}
	for range moves {
		at := r.IntN(len(key))
		key[at] += r.IntN(len(key)/50 + 2)
	}
	last := make([]int, len(s.Threads))
	for e := range key {
		t := s.Events[e].Thread
		last[t] = max(last[t], key[e])
		key[e] = last[t]
	}
	order := s.recorded()
	slices.SortStableFunc(order[:len(key)], func(a, b EventID) int { return key[a] - key[b] })
	return order
}

// sizes runs a benchmark at sizes that show how it grows: linear is ten times the
// time for ten times the events, and what is lost when data leaves the caches.
func sizes(b *testing.B, at func(b *testing.B, s *System)) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { at(b, longChains(n, 8, 16)) })
	}
}

func BenchmarkExplain(b *testing.B) {
	sizes(b, func(b *testing.B, s *System) {
		c, order := NewChecker(s), s.recorded()
		if found := c.Explain(order, Goal{}, 0); len(found) > 0 {
			b.Fatal(found[0])
		}
		for b.Loop() {
			c.Explain(order, Goal{}, 64)
		}
	})
}

// An order with violations all along it.
func BenchmarkExplainMuch(b *testing.B) {
	sizes(b, func(b *testing.B, s *System) {
		c, order := NewChecker(s), disturbed(s, len(s.Events)/100)
		if len(c.Explain(order, Goal{}, 0)) == 0 {
			b.Fatal("the disturbed order breaks nothing")
		}
		for b.Loop() {
			c.Explain(order, Goal{}, 0)
		}
	})
}

func BenchmarkMustBefore(b *testing.B) {
	sizes(b, func(b *testing.B, s *System) {
		for b.Loop() {
			NewChecker(s).Must()
		}
	})
}
