package constraint

import (
	"reflect"
	"testing"
)

// TestGiven: orders from outside are closed over those that are known, and what
// follows from the places of sends and receives narrows whom one takes from.
func TestGiven(t *testing.T) {
	s := &System{Objects: []Object{{}, {Kind: Channel, Cap: 4}, {Kind: Mutex}}, Threads: make([]Thread, 3)}
	send, recv := Event{Op: Send, Obj: 1}, Event{Op: Recv, Obj: 1, Outcome: Received}
	s.chain(0, send, Event{Op: Lock, Obj: 2}, Event{Op: Unlock, Obj: 2})       // 0 to 2
	s.chain(1, Event{Op: Lock, Obj: 2}, send, Event{Op: Unlock, Obj: 2}, send) // 3 to 6
	s.chain(2, recv, recv, recv)                                               // 7 to 9
	c := NewChecker(s)
	if c.Must().Before(2, 3) {
		t.Fatal("regions of a lock are ordered from the start")
	}
	if got, want := c.Writers(8), []EventID{0, 4, 6}; !reflect.DeepEqual(got, want) {
		t.Errorf("the second receive takes from %v, want %v", got, want)
	}
	c.Given(Edge{Before: 1, After: 3})
	if !c.Must().Before(2, 3) || !c.Must().Before(0, 6) {
		t.Error("what follows from a given order is not known")
	}
	if got, want := c.Writers(8), []EventID{4}; !reflect.DeepEqual(got, want) {
		t.Errorf("with the sends in order the second receive takes from %v, want %v", got, want)
	}
}

// TestSyncOrder: an operation that its thread can't avoid holds up the next one
// in any case, one with an alternative before it only if it happens.
func TestSyncOrder(t *testing.T) {
	s := &System{Objects: []Object{{}, {Kind: Mutex}, {Kind: Location}}, Threads: make([]Thread, 2)}
	s.chain(0, Event{Op: Lock, Obj: 1}, Event{Op: Read, Obj: 2}, Event{Op: Unlock, Obj: 1})
	s.chain(1, Event{Op: Lock, Obj: 1}, Event{Op: Unlock, Obj: 1})
	for e := range s.Events {
		s.Events[e].At = e
	}
	s.Events = append(s.Events, Event{Op: Read, Obj: 2, Prev: 0, At: -1, Partner: NoEvent, Child: -1})
	want := []Clause{
		{{A: 0, B: 2}},
		{{A: 2, B: 3}, {A: s.End(), B: 2}},
		{{A: 3, B: 4}},
	}
	if got := s.SyncOrder(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
