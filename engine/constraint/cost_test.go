package constraint

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
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

// cost is what this thread needs for do, on average of enough runs for the
// clock of threads, which may tick every 10 ms only.
func cost(do func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	from, n := threadTime(), 0
	for threadTime()-from < 200*time.Millisecond {
		do()
		n++
	}
	return (threadTime() - from) / time.Duration(n)
}

// threadTime is what the thread has used of a processor, so that what else the
// machine does doesn't count; wall time where a system does not tell.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD of Linux
	var u syscall.Rusage
	if runtime.GOOS != "linux" || syscall.Getrusage(thread, &u) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// scales checks that four times the events need at most twelve times the time:
// linear, with what is lost when the data leaves the caches, but not quadratic.
func scales(t *testing.T, at func(events int) time.Duration) {
	t.Helper()
	small, large := at(25_000), at(100_000)
	t.Logf("25,000 events %v, 100,000 events %v", small, large)
	if large > 12*small {
		t.Errorf("25,000 events %v, 100,000 events %v", small, large)
	}
}

func TestExplainScales(t *testing.T) {
	scales(t, func(events int) time.Duration {
		s := longChains(events, 8, 16)
		c, order := NewChecker(s), s.recorded()
		if found := c.Explain(order, Goal{}, 0); len(found) > 0 {
			t.Fatal(found[0])
		}
		return cost(func() { c.Explain(order, Goal{}, 64) })
	})
}

// An order with violations all along it is explained in linear time too.
func TestExplainOfMuchScales(t *testing.T) {
	scales(t, func(events int) time.Duration {
		s := longChains(events, 8, 16)
		c, order := NewChecker(s), disturbed(s, events/1000)
		if len(c.Explain(order, Goal{}, 0)) < 10 {
			t.Fatal("the disturbed order breaks next to nothing")
		}
		return cost(func() { c.Explain(order, Goal{}, 0) })
	})
}

func TestMustBeforeScales(t *testing.T) {
	scales(t, func(events int) time.Duration {
		s := longChains(events, 8, 16)
		return cost(func() { NewChecker(s).Must() })
	})
}
