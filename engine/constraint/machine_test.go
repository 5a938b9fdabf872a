package constraint

import (
	"slices"
	"testing"
)

// chain makes thread t's events from ops, one after another.
func (s *System) chain(t ThreadID, events ...Event) {
	prev := NoEvent
	for _, ev := range events {
		ev.Thread, ev.Prev, ev.At = t, prev, len(s.Events)
		if ev.Op != CondWake {
			ev.Partner = NoEvent
		}
		if ev.Op != Spawn {
			ev.Child = -1
		}
		prev = EventID(len(s.Events))
		s.Events = append(s.Events, ev)
	}
}

func number(n uint64) *Term  { return &Term{Op: Const, Value: Value{Bits: n}} }
func symbol(e EventID) *Term { return &Term{Op: Sym, Event: e} }
func is(e EventID, n uint64) *Term {
	return &Term{Op: TEq, Args: []*Term{symbol(e), number(n)}}
}

// counterRace is two threads that add 1 to a location without a lock.
func counterRace() *System {
	s := &System{
		Objects: []Object{{}, {Kind: Location, Name: "n"}},
		Threads: []Thread{{Name: "a"}, {Name: "b"}},
	}
	plus1 := func(e EventID) *Term { return &Term{Op: TAdd, Args: []*Term{symbol(e), number(1)}} }
	s.chain(0, Event{Op: Read, Obj: 1}, Event{Op: Write, Obj: 1, Val: plus1(0)})
	s.chain(1, Event{Op: Read, Obj: 1}, Event{Op: Write, Obj: 1, Val: plus1(2)})
	return s
}

func TestLostUpdate(t *testing.T) {
	s := counterRace()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	s.chain(0, Event{Op: Read, Obj: 1, Cond: []*Term{is(4, 1)}})
	s.Events[4].Prev = 1
	for _, tt := range []struct {
		order []EventID
		valid bool
	}{
		{[]EventID{0, 2, 1, 3, 4}, true},
		{[]EventID{0, 1, 2, 3, 4}, false},
		{[]EventID{2, 3, 0, 1, 4}, false},
		{[]EventID{0, 1, 4, 2, 3}, true},
		{[]EventID{0, 1, 2, 4, 3}, true},
	} {
		sch, v := Simulate(s, tt.order)
		if (v == nil) != tt.valid {
			t.Errorf("%v: %v", tt.order, v)
		}
		if v == nil && sch.Values[4] != (Value{Bits: 1}) {
			t.Errorf("%v: read %v", tt.order, sch.Values[4])
		}
	}
}

func TestUndoAndKey(t *testing.T) {
	m := NewMachine(counterRace())
	perform := func(order ...EventID) [2]uint64 {
		for _, e := range order {
			if err := m.Perform(e); err != nil {
				t.Fatal(err)
			}
		}
		return m.Key()
	}
	start := m.Key()
	a := perform(0, 2, 1, 3)
	for range 4 {
		m.Undo()
	}
	if m.Key() != start {
		t.Error("undoing all is not the start")
	}
	if b := perform(2, 0, 3, 1); b != a {
		t.Error("the order of reads is seen in the key")
	}
	for range 4 {
		m.Undo()
	}
	if c := perform(0, 1, 2, 3); c == a {
		t.Error("another value read is not seen in the key")
	}
	if got := m.Performed(); !slices.Equal(got, []EventID{0, 1, 2, 3}) {
		t.Error(got)
	}
}
