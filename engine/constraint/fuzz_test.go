package constraint

import (
	"io"
	"testing"
)

// source deals out small numbers from fuzzed bytes; 0 when there are no more.
type source struct{ b []byte }

func (s *source) next() int {
	if len(s.b) == 0 {
		return 0
	}
	v := s.b[0]
	s.b = s.b[1:]
	return int(int8(v))
}

// small is mostly in [0, n), sometimes just outside.
func (s *source) small(n int) int {
	v := s.next()
	if v < 0 {
		return v%4 + n/2
	}
	return v % max(1, n+1)
}

func (s *source) term(depth int, events int) *Term {
	if depth == 0 {
		return &Term{Op: TermOp(s.small(2)), Value: Value{Bits: uint64(s.next()), Fresh: int32(s.small(3))}, Event: EventID(s.small(events))}
	}
	t := &Term{Op: TermOp(s.small(int(TIte) + 1)), Width: []uint8{0, 1, 8, 16, 32, 64, 7}[s.next()&127%7], Event: EventID(s.small(events))}
	if t.Op != Const && t.Op != Sym {
		for range s.small(3) {
			t.Args = append(t.Args, s.term(depth-1, events))
		}
	}
	return t
}

// system is any system, valid or not.
func (s *source) system() *System {
	sys := &System{Objects: make([]Object, 1), Threads: make([]Thread, 1+s.next()&3)}
	for range 1 + s.next()&3 {
		sys.Objects = append(sys.Objects, Object{Kind: Kind(s.small(5)), Cap: s.small(3), Nil: s.next() == 1})
	}
	for range s.next() & 15 {
		n := len(sys.Events)
		ev := Event{
			Thread: ThreadID(s.small(len(sys.Threads))), Prev: EventID(s.small(n+1) - 1), Op: Op(s.small(int(End) + 1)),
			Obj: ObjID(s.small(len(sys.Objects))), Outcome: s.small(3), Delta: int64(s.small(4)) - 2,
			Partner: EventID(s.small(n)), Child: ThreadID(s.small(len(sys.Threads))), Pending: s.next() == 1, At: n,
		}
		if ev.Op == Write || ev.Op == Send || ev.Op == RMW {
			ev.Val = s.term(2, n+1)
		}
		if s.next() > 64 {
			ev.Cond = []*Term{s.term(2, n+1)}
		}
		if ev.Op == Default {
			ev.Cases = []Case{{Obj: ev.Obj, Send: s.next() > 0}}
		}
		sys.Events = append(sys.Events, ev)
	}
	return sys
}

// FuzzMachine: what Validate accepts makes nothing panic; Undo undoes; Explain,
// Simulate and Machine agree.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{1, 1, 0, 0, 0, 4, 0, 0, 1, 1})
	f.Add([]byte("\x02\x02\x01\x00\x00\x04\x02\x00\x08\x00\x00\x10\x01\x01\x00\x00\x00\x00\x00\x01\x00\x11\x01\x01\x02\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		src := &source{b}
		s := src.system()
		if s.Validate() != nil {
			return
		}
		m := NewMachine(s)
		start := m.Key()
		for range 3 * len(s.Events) {
			e := EventID(src.next() & 15)
			if src.next() < 0 {
				m.Undo()
			} else if int(e) < len(s.Events) {
				m.Possible(e)
				m.Perform(e) // most are not possible
			}
		}
		order := m.Performed()
		checkAgree(t, s, m, order)
		for range order {
			m.Undo()
		}
		if m.Key() != start {
			t.Error("undoing all is not the start")
		}
		if err := s.Print(io.Discard); err != nil {
			t.Error(err)
		}
		s.SyncOrder()
	})
}

// checkAgree compares Explain with the machine that performed the order.
func checkAgree(t *testing.T, s *System, m *Machine, order []EventID) {
	c := NewChecker(s)
	full := append(append([]EventID(nil), order...), s.End())
	for _, g := range []Goal{{}, {Stuck: true}} {
		v, found := m.Meets(g), c.Explain(full, g, 0)
		if (v == nil) != (len(found) == 0) {
			t.Errorf("order %v: machine %v, explained %v\n%v", order, v, found, s)
		}
	}
	for e := range s.Events {
		ev := EventID(e)
		m.Blocked(ev)
		if ops := s.Events[e].Op; ops == Read || ops == RMW || ops == Recv {
			c.Writers(ev)
		}
	}
}
