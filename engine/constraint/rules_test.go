package constraint

import (
	"strings"
	"testing"
)

// TestRules performs orders of small systems: the last event of each is the one
// that is asked about.
func TestRules(t *testing.T) {
	lock := func(op Op, outcome int) Event { return Event{Op: op, Obj: 1, Outcome: outcome} }
	channel := func(op Op, outcome int) Event { return Event{Op: op, Obj: 1, Outcome: outcome} }
	gaveUp := func(send bool) Event { return Event{Op: Default, Cases: []Case{{Obj: 1, Send: send}}} }
	add := func(d int64) Event { return Event{Op: Add, Obj: 1, Delta: d} }
	op := func(op Op) Event { return Event{Op: op, Obj: 1} }
	wake := func(of EventID) Event { return Event{Op: CondWake, Obj: 1, Partner: of} }
	tests := []struct {
		name string
		obj  Object
		a, b []Event // threads; their events are numbered through
		do   []EventID
		last bool // whether the last of do is possible
	}{
		{"lock of what is held", Object{Kind: Mutex}, []Event{lock(Lock, 0)}, []Event{lock(Lock, 0)}, []EventID{0, 1}, false},
		{"lock with a reader", Object{Kind: Mutex}, []Event{lock(RLock, 0)}, []Event{lock(Lock, 0)}, []EventID{0, 1}, false},
		{"two readers", Object{Kind: Mutex}, []Event{lock(RLock, 0)}, []Event{lock(RLock, 0)}, []EventID{0, 1}, true},
		{"unlock by another", Object{Kind: Mutex}, []Event{lock(Lock, 0)}, []Event{lock(Unlock, 0)}, []EventID{0, 1}, true},
		{"unlock of nothing", Object{Kind: Mutex}, []Event{lock(Lock, 0)}, []Event{lock(Unlock, 0)}, []EventID{1}, false},
		{"try fails on a reader", Object{Kind: Mutex}, []Event{lock(RLock, 0)}, []Event{lock(TryLock, 0)}, []EventID{0, 1}, true},
		{"read try succeeds with a reader", Object{Kind: Mutex}, []Event{lock(RLock, 0)}, []Event{lock(TryRLock, 1)}, []EventID{0, 1}, true},
		{"try can't fail on a free lock", Object{Kind: Mutex}, nil, []Event{lock(TryLock, 0)}, []EventID{0}, false},
		{"wait with a counter", Object{Kind: WaitGroup}, []Event{add(1)}, []Event{op(Wait)}, []EventID{0, 1}, false},
		{"wait after done", Object{Kind: WaitGroup}, []Event{add(1), add(-1)}, []Event{op(Wait)}, []EventID{0, 1, 2}, true},
		{"negative counter", Object{Kind: WaitGroup}, []Event{add(-1)}, nil, []EventID{0}, false},
		{"lost signal", Object{Kind: Cond}, []Event{op(CondWait), wake(0)}, []Event{op(Signal)}, []EventID{2, 0, 1}, false},
		{"signal", Object{Kind: Cond}, []Event{op(CondWait), wake(0)}, []Event{op(Signal)}, []EventID{0, 2, 1}, true},
		{"the older ticket first", Object{Kind: Cond}, []Event{op(CondWait), wake(0)}, []Event{op(CondWait), op(Signal), wake(2)}, []EventID{0, 2, 3, 4}, false},
		{"broadcast", Object{Kind: Cond}, []Event{op(CondWait), wake(0)}, []Event{op(CondWait), op(Broadcast), wake(2)}, []EventID{0, 2, 3, 4}, true},
		{"full channel", Object{Kind: Channel, Cap: 1}, []Event{channel(Send, 0)}, []Event{channel(Send, 0)}, []EventID{0, 1}, false},
		{"empty channel", Object{Kind: Channel, Cap: 1}, []Event{channel(Recv, Received)}, nil, []EventID{0}, false},
		{"closed but not empty", Object{Kind: Channel, Cap: 1}, []Event{channel(Send, 0), channel(Close, 0)}, []Event{channel(Recv, Closed)}, []EventID{0, 1, 2}, false},
		{"closed, the rest is received", Object{Kind: Channel, Cap: 1}, []Event{channel(Send, 0), channel(Close, 0)}, []Event{channel(Recv, Received)}, []EventID{0, 1, 2}, true},
		{"send on closed", Object{Kind: Channel, Cap: 1}, []Event{channel(Close, 0)}, []Event{channel(Send, 0)}, []EventID{0, 1}, false},
		{"closed twice", Object{Kind: Channel, Cap: 1}, []Event{channel(Close, 0)}, []Event{channel(Close, 0)}, []EventID{0, 1}, false},
		{"nil channel", Object{Kind: Channel, Nil: true}, []Event{channel(Send, 0)}, []Event{channel(Recv, Received)}, []EventID{0}, false},
		{"rendezvous without receiver", Object{Kind: Channel}, []Event{channel(Send, 0)}, []Event{op(Close)}, []EventID{0}, false},
		{"rendezvous", Object{Kind: Channel}, []Event{channel(Send, 0)}, []Event{channel(Recv, Received)}, []EventID{0, 1}, true},
		{"receive before the send", Object{Kind: Channel}, []Event{channel(Send, 0)}, []Event{channel(Recv, Received)}, []EventID{1}, false},
		{"something inside a rendezvous", Object{Kind: Channel}, []Event{channel(Send, 0), {Op: Nop}}, []Event{channel(Recv, Received)}, []EventID{0, 1}, false},
		{"gave up on room", Object{Kind: Channel, Cap: 1}, []Event{gaveUp(true)}, nil, []EventID{0}, false},
		{"gave up on a full one", Object{Kind: Channel, Cap: 1}, []Event{channel(Send, 0)}, []Event{gaveUp(true)}, []EventID{0, 1}, true},
		{"gave up on an item", Object{Kind: Channel, Cap: 1}, []Event{channel(Send, 0)}, []Event{gaveUp(false)}, []EventID{0, 1}, false},
		{"gave up on closed", Object{Kind: Channel}, []Event{channel(Close, 0)}, []Event{gaveUp(false)}, []EventID{0, 1}, false},
		{"gave up on nil", Object{Kind: Channel, Nil: true}, []Event{gaveUp(false)}, nil, []EventID{0}, true},
		{"not yet started", Object{Kind: Mutex}, []Event{{Op: Spawn, Child: 1}}, []Event{{Op: Start}}, []EventID{1}, false},
		{"started", Object{Kind: Mutex}, []Event{{Op: Spawn, Child: 1}}, []Event{{Op: Start}}, []EventID{0, 1}, true},
	}
	for _, tt := range tests {
		s := &System{Objects: []Object{{}, tt.obj}, Threads: make([]Thread, 2)}
		s.chain(0, tt.a...)
		s.chain(1, tt.b...)
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		m := NewMachine(s)
		for i, e := range tt.do {
			want := i < len(tt.do)-1 || tt.last
			if err := m.Perform(e); (err == nil) != want {
				t.Errorf("%s: %s: %v", tt.name, s.Label(e), err)
				break
			}
		}
	}
}

// TestWriterWaits: a reader is blocked behind a writer that waits for another
// reader, and only then.
func TestWriterWaits(t *testing.T) {
	s := &System{Objects: []Object{{}, {Kind: Mutex, Name: "mu"}}, Threads: make([]Thread, 3)}
	s.chain(0, Event{Op: RLock, Obj: 1}, Event{Op: RLock, Obj: 1}, Event{Op: RUnlock, Obj: 1})
	s.chain(1, Event{Op: Nop}, Event{Op: Lock, Obj: 1})
	goal := Goal{Blocked: []EventID{1}}
	for order, want := range map[string]bool{"0": false, "3": false, "03": true, "013": false} {
		var events []EventID
		for _, c := range order {
			events = append(events, EventID(c-'0'))
		}
		sch, v := Simulate(s, events)
		if v != nil {
			t.Fatal(v)
		}
		if v := s.Meets(sch, goal); (v == nil) != want {
			t.Errorf("%s: %v", order, v)
		}
	}
}

func TestPrint(t *testing.T) {
	s := counterRace()
	s.Objects = append(s.Objects, Object{Kind: Mutex, Name: "mu"})
	s.Threads = append(s.Threads, Thread{Name: "c"})
	s.chain(2, Event{Op: Lock, Obj: 2}, Event{Op: Read, Obj: 1, Cond: []*Term{is(5, 1)}}, Event{Op: Unlock, Obj: 2})
	const want = `7 events of 3 threads
  T0 a
  T1 b
  T2 c
  location n = 0
  mutex mu
Φ_mo:
  T0#0 read n < T0#1 write n
  T1#2 read n < T1#3 write n
  T2#4 lock mu < T2#5 read n
  T2#5 read n < T2#6 unlock mu
Φ_sync:
  T2#4 lock mu: Σ(lock) - Σ(unlock) + Σ(rlock) - Σ(runlock) = 0
  T2#6 unlock mu: Σ(lock) - Σ(unlock) > 0
Φ_rw:
  T0#1 write n := (v(0) + 1)
  T1#3 write n := (v(2) + 1)
  v(0) = n after the last of {T0#1 write n, T1#3 write n} before T0#0 read n
  v(2) = n after the last of {T0#1 write n, T1#3 write n} before T1#2 read n
  v(5) = n after the last of {T0#1 write n, T1#3 write n} before T2#5 read n
Φ_path:
  T2#5 read n: (v(5) == 1)
`
	if got := s.String(); got != want {
		t.Errorf("printed\n%s\nnot\n%s", got, want)
	}
	clause := Clause{{A: s.End(), B: 4}, {From: true, Neg: true, A: NoEvent, B: 0}}
	if got, want := s.Clause(clause), "(END) < (T2#4 lock mu) ∨ (init) ≠ rf(T0#0 read n)"; got != want {
		t.Errorf("clause %s, not %s", got, want)
	}
	if got := (Goal{Name: "deadlock", Stuck: true, Blocked: []EventID{4}}).String(); got != "deadlock: blocked at [4], all stuck" {
		t.Error(got)
	}
}

// TestTerms: integers wrap as Go's do, and fresh values are known by identity.
func TestTerms(t *testing.T) {
	fresh := Value{Fresh: -3}
	values := []Value{{Bits: 250}, fresh, {Bits: 1 << 63}}
	v := func(e EventID) Value { return values[e] }
	bin := func(op TermOp, width uint8, a, b *Term) *Term {
		return &Term{Op: op, Width: width, Args: []*Term{a, b}}
	}
	tests := []struct {
		term *Term
		want string
	}{
		{bin(TAdd, 8, symbol(0), number(10)), "4"},
		{bin(TSub, 0, number(0), number(1)), "18446744073709551615"},
		{bin(TMul, 16, number(300), number(300)), "24464"},
		{bin(TLt, 8, symbol(0), number(0)), "1"},
		{bin(TULt, 8, symbol(0), number(0)), "0"},
		{bin(TLe, 0, symbol(2), number(0)), "1"},
		{bin(TEq, 0, symbol(1), number(0)), "0"},
		{bin(TNe, 0, symbol(1), symbol(1)), "0"},
		{bin(TEq, 0, bin(TAdd, 0, symbol(1), number(1)), bin(TAdd, 0, symbol(1), number(1))), "1"},
		{bin(TEq, 0, bin(TAdd, 0, symbol(1), number(1)), bin(TAdd, 0, symbol(1), number(2))), "0"},
		{&Term{Op: TIte, Args: []*Term{symbol(1), number(3), number(4)}}, "3"},
		{&Term{Op: TNot, Args: []*Term{symbol(1)}}, "0"},
		{&Term{Op: TAllOf}, "1"},
		{&Term{Op: TAnyOf}, "0"},
		{symbol(1), "ν-3"},
	}
	for _, tt := range tests {
		if got := tt.term.Eval(v).String(); got != tt.want {
			t.Errorf("%v = %s, not %s", tt.term, got, tt.want)
		}
	}
	if got := bin(TAdd, 8, symbol(0), number(1)).String(); !strings.Contains(got, ":8") {
		t.Error(got)
	}
}
