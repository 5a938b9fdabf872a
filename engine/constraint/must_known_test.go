package constraint

import (
	"slices"
	"testing"
)

// TestMustBeforeKnows: each rule finds the order that it is for. The events are
// numbered through the threads.
func TestMustBeforeKnows(t *testing.T) {
	on := func(op Op) Event { return Event{Op: op, Obj: 1} }
	recv := Event{Op: Recv, Obj: 1, Outcome: Received}
	reads := func(e EventID, n uint64) Event {
		return Event{Op: Read, Obj: 2, Cond: []*Term{is(e, n)}}
	}
	writes := func(n uint64) Event { return Event{Op: Write, Obj: 2, Val: number(n)} }
	add := func(d int64) Event { return Event{Op: Add, Obj: 1, Delta: d} }
	spawn := Event{Op: Spawn, Child: 1}
	tests := []struct {
		name    string
		obj     Object
		a, b, c []Event
		before  []Edge
		not     []Edge
	}{
		{"spawn", Object{Kind: Mutex}, []Event{on(Lock), spawn, on(Unlock)}, []Event{on(Lock)}, nil,
			[]Edge{{0, 3}, {1, 3}, {2, 3}}, nil}, // 2, because the region has begun before
		{"read of the only fitting write", Object{Kind: Mutex}, []Event{writes(1), writes(2)}, []Event{reads(2, 2)}, nil,
			[]Edge{{0, 2}, {1, 2}}, nil},
		{"read of one of two", Object{Kind: Mutex}, []Event{writes(1), writes(1)}, []Event{reads(2, 1)}, nil,
			nil, []Edge{{1, 2}}},
		{"regions around a forced read", Object{Kind: Mutex}, []Event{on(Lock), writes(1), on(Unlock)},
			[]Event{reads(3, 1), on(Lock), on(Unlock)}, nil, []Edge{{1, 3}, {2, 4}}, []Edge{{2, 3}}},
		{"readers don't exclude", Object{Kind: Mutex}, []Event{on(RLock), writes(1), on(RUnlock)},
			[]Event{reads(3, 1), on(RLock), on(RUnlock)}, nil, []Edge{{0, 4}}, []Edge{{2, 4}}},
		{"wait for all", Object{Kind: WaitGroup}, []Event{add(2), on(Wait)}, []Event{add(-1)}, []Event{add(-1)},
			[]Edge{{2, 1}, {3, 1}}, []Edge{{2, 3}}},
		{"wait for one of two", Object{Kind: WaitGroup}, []Event{add(1), on(Wait)}, []Event{add(-1)}, []Event{add(-1)},
			nil, []Edge{{2, 1}, {3, 1}}},
		{"the only signal", Object{Kind: Cond}, []Event{on(CondWait), {Op: CondWake, Obj: 1, Partner: 0}}, []Event{on(Signal)}, nil,
			[]Edge{{2, 1}}, []Edge{{0, 2}}},
		{"close", Object{Kind: Channel, Cap: 1}, []Event{on(Close)}, []Event{{Op: Recv, Obj: 1, Outcome: Closed}}, nil,
			[]Edge{{0, 1}}, nil},
		{"places in a channel", Object{Kind: Channel, Cap: 1}, []Event{on(Send), on(Send), on(Send)}, []Event{recv, recv}, nil,
			[]Edge{{0, 3}, {1, 4}, {3, 1}, {4, 2}}, []Edge{{1, 3}}},
		{"two senders", Object{Kind: Channel, Cap: 1}, []Event{on(Send)}, []Event{recv}, []Event{on(Send)},
			nil, []Edge{{0, 1}, {2, 1}}},
		{"rendezvous", Object{Kind: Channel}, []Event{on(Send), on(Send)}, []Event{{Op: Nop}, recv, recv}, nil,
			[]Edge{{2, 0}, {0, 3}, {3, 1}, {1, 4}}, nil},
	}
	for _, tt := range tests {
		s := &System{Objects: []Object{{}, tt.obj, {Kind: Location}}, Threads: make([]Thread, 3)}
		s.chain(0, tt.a...)
		s.chain(1, tt.b...)
		s.chain(2, tt.c...)
		if err := s.Validate(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		must := s.MustBefore()
		for _, d := range tt.before {
			if !must.Before(d.Before, d.After) {
				t.Errorf("%s: %s must come before %s, not known", tt.name, s.Label(d.Before), s.Label(d.After))
			}
		}
		for _, d := range tt.not {
			if must.Before(d.Before, d.After) {
				t.Errorf("%s: %s need not come before %s", tt.name, s.Label(d.Before), s.Label(d.After))
			}
		}
	}
}

// TestClausesAreShort: what a pass says of the common cases has no more literals
// than it needs, however many other operations there are.
func TestClausesAreShort(t *testing.T) {
	s := &System{Objects: []Object{{}, {Kind: Mutex}, {Kind: Channel, Cap: 1}, {Kind: WaitGroup}, {Kind: Location}}, Threads: make([]Thread, 2)}
	var a, b []Event
	for range 20 {
		a = append(a, Event{Op: Lock, Obj: 1}, Event{Op: Unlock, Obj: 1}, Event{Op: Send, Obj: 2}, Event{Op: Add, Obj: 3, Delta: 1})
		b = append(b, Event{Op: Lock, Obj: 1}, Event{Op: Unlock, Obj: 1}, Event{Op: Recv, Obj: 2, Outcome: Received}, Event{Op: Wait, Obj: 3})
	}
	s.chain(0, a...)
	s.chain(1, b...)
	// The second thread locks inside the first region, receives before the first
	// send, and waits after an add.
	order := []EventID{0, 80, 81, 82, 1, 2, 3, 83, s.End()}
	for e := range s.End() {
		if !slices.Contains(order, e) {
			order = append(order, e)
		}
	}
	found := Explain(s, order, Goal{}, 0)
	want := []string{
		"(END) < (T1#80 lock obj1) ∨ (T0#1 unlock obj1) < (T1#80 lock obj1) ∨ (END) < (T0#0 lock obj1) ∨ (T1#81 unlock obj1) < (T0#0 lock obj1)",
		"(END) < (T1#82 recv obj2) ∨ (T0#2 send obj2) < (T1#82 recv obj2)",
		"(END) < (T1#83 wait obj3) ∨ (T1#83 wait obj3) < (T0#3 add obj3 +1)",
	}
	if len(found) != len(want) {
		t.Fatal(found)
	}
	for i, v := range found {
		if got := s.Clause(v.Clause); got != want[i] {
			t.Errorf("clause %s\nnot %s", got, want[i])
		}
	}
}
