package trace

import (
	"errors"
	"strings"
	"testing"
)

// script builds a trace by hand. Objects 1-4 are a lock, a WaitGroup, a channel
// and an int, package variables all.
type script struct {
	t *Trace
}

const (
	objMu ObjID = iota + 1
	objWG
	objCh
	objN
)

func newScript() *script {
	t := &Trace{Version: Version, Stacks: [][]Frame{nil}, Sites: []string{""}}
	t.Goroutines = []Goroutine{{Display: "runtime", Path: "r"}, {ID: 1, Path: "0", Key: 100, Display: "main"},
		{ID: 2, Parent: 1, Index: 1, Path: "0.1", Key: 101, Display: "work#1"},
		{ID: 3, Parent: 1, Index: 2, Path: "0.2", Key: 102, Display: "work#2"}}
	t.Objects = []Object{{},
		{ID: objMu, Kind: ObjGlobal, Var: "mu", Type: "sync.Mutex", Addr: 8},
		{ID: objWG, Kind: ObjGlobal, Var: "wg", Type: "sync.WaitGroup", Addr: 16},
		{ID: objCh, Kind: ObjGlobal, Var: "ch", Type: "chan int", Addr: 24},
		{ID: objN, Kind: ObjGlobal, Var: "n", Type: "int", Elem: "int", Size: 8, Addr: 32}}
	s := &script{t}
	return s.on(1, OpSpawn, 0, 0, 2).on(1, OpSpawn, 0, 0, 3).on(2, OpStart, 0, 0, 0).on(3, OpStart, 0, 0, 0)
}

func (s *script) on(g GID, op Op, obj ObjID, value int64, aux uint64) *script {
	s.t.Events = append(s.t.Events, Event{Seq: len(s.t.Events), G: g, Op: op, Obj: obj, Value: uint64(value), HasValue: true, Aux: aux})
	return s
}

func TestCheck(t *testing.T) {
	const room1 = 1 << 32
	block := func(s *script, g GID, op Op, obj ObjID) *script { return s.on(g, OpBlock, obj, 0, uint64(op)) }
	wake := func(s *script, by, g GID) *script { return s.on(by, OpUnblock, 0, 0, uint64(g)) }
	tests := []struct {
		name  string
		build func(s *script)
		want  string // part of the violation; "" = none
	}{
		{"nothing", func(s *script) {}, ""},
		{"lock and unlock", func(s *script) {
			s.on(2, OpLock, objMu, 0, 0).on(2, OpUnlock, objMu, 0, 0).on(3, OpLock, objMu, 0, 0)
		}, ""},
		{"two lockers", func(s *script) { s.on(2, OpLock, objMu, 0, 0).on(3, OpLock, objMu, 0, 0) }, "while goroutine 2 holds"},
		{"unlocked by another", func(s *script) { s.on(2, OpLock, objMu, 0, 0).on(3, OpUnlock, objMu, 0, 0) }, ""},
		{"unlocked twice", func(s *script) {
			s.on(2, OpLock, objMu, 0, 0).on(2, OpUnlock, objMu, 0, 0).on(2, OpUnlock, objMu, 0, 0)
		}, "not locked"},
		{"readers share", func(s *script) { s.on(2, OpRLock, objMu, 0, 0).on(3, OpRLock, objMu, 0, 0) }, ""},
		{"writer among readers", func(s *script) { s.on(2, OpRLock, objMu, 0, 0).on(3, OpLock, objMu, 0, 0) }, "while goroutine 2 reads"},
		{"reader beside writer", func(s *script) { s.on(2, OpLock, objMu, 0, 0).on(3, OpRLock, objMu, 0, 0) }, "read-locked while goroutine 2"},
		{"read-unlock of nothing", func(s *script) { s.on(2, OpRUnlock, objMu, 0, 0) }, "not read-locked"},
		{"failed try", func(s *script) { s.on(2, OpLock, objMu, 0, 0).on(3, OpTryLock, objMu, 0, 0) }, ""},
		{"try on a held lock", func(s *script) { s.on(2, OpLock, objMu, 0, 0).on(3, OpTryLock, objMu, 1, 0) }, "while goroutine 2 holds"},
		{"try to read a held lock", func(s *script) { s.on(2, OpTryLock, objMu, 1, 0).on(3, OpTryRLock, objMu, 1, 0) }, "while goroutine 2 holds"},

		{"wait at zero", func(s *script) {
			s.on(1, OpWGAdd, objWG, 2, 0).on(2, OpWGDone, objWG, -1, 0).on(3, OpWGDone, objWG, -1, 0).on(1, OpWGWait, objWG, 0, 0)
		}, ""},
		{"wait too early", func(s *script) { s.on(1, OpWGAdd, objWG, 1, 0).on(1, OpWGWait, objWG, 0, 0) }, "counter is 1"},
		{"added again before the waiter ran", func(s *script) {
			s.on(1, OpWGAdd, objWG, 1, 0)
			block(s, 1, OpWGWait, objWG)
			s.on(2, OpWGDone, objWG, -1, 0)
			wake(s, 2, 1).on(2, OpWGAdd, objWG, 1, 0).on(1, OpWGWait, objWG, 0, 0)
		}, ""},
		{"woken too early", func(s *script) {
			s.on(1, OpWGAdd, objWG, 1, 0)
			block(s, 1, OpWGWait, objWG)
			wake(s, 2, 1).on(1, OpWGWait, objWG, 0, 0)
		}, "counter is 1"},
		{"negative counter panics", func(s *script) { s.on(2, OpWGDone, objWG, -1, 0).on(2, OpPanicStart, 0, 0, 0) }, ""},
		{"negative counter goes on", func(s *script) { s.on(2, OpWGDone, objWG, -1, 0).on(2, OpEnd, 0, 0, 0) }, "counter is -1"},

		{"buffered", func(s *script) { s.on(2, OpSend, objCh, 1, room1|1).on(3, OpRecv, objCh, 1, room1) }, ""},
		{"over capacity", func(s *script) { s.on(2, OpSend, objCh, 1, room1|1).on(2, OpSend, objCh, 1, room1|1) }, "room for 1"},
		{"receive before send", func(s *script) { s.on(3, OpRecv, objCh, 1, room1) }, "receive 1 after 0 sends"},
		{"taken from a waiting sender", func(s *script) {
			wake(block(s, 2, OpSend, objCh), 3, 2).on(3, OpRecv, objCh, 1, 0).on(2, OpSend, objCh, 1, 0)
		}, ""},
		{"given to a waiting receiver", func(s *script) {
			wake(block(s, 3, OpRecv, objCh), 2, 3).on(2, OpSend, objCh, 1, 0).on(3, OpRecv, objCh, 1, 0)
		}, ""},
		{"rendezvous without partner", func(s *script) { s.on(2, OpSend, objCh, 1, 0) }, "room for 0"},
		{"nothing ready", func(s *script) { s.on(2, OpSend, objCh, 0, 0).on(3, OpRecv, objCh, 0, 0) }, ""},
		{"closed", func(s *script) { s.on(2, OpClose, objCh, 0, 0).on(3, OpRecv, objCh, 2, 0) }, ""},
		{"closed twice", func(s *script) { s.on(2, OpClose, objCh, 0, 0).on(3, OpClose, objCh, 0, 0) }, "closed at event 4"},
		{"never closed", func(s *script) { s.on(3, OpRecv, objCh, 2, 0) }, "nobody closed"},
		{"closed but not empty", func(s *script) {
			s.on(2, OpSend, objCh, 1, room1|1).on(2, OpClose, objCh, 0, 0).on(3, OpRecv, objCh, 2, room1)
		}, "after 1 sends"},
		{"sent after close", func(s *script) { s.on(2, OpClose, objCh, 0, 0).on(3, OpSend, objCh, 1, room1) }, "closed at event 4"},
		{"select receives", func(s *script) { s.on(2, OpSend, objCh, 1, room1|1).on(3, OpSelect, objCh, 0, 1) }, ""},
		{"select receives nothing", func(s *script) { s.on(3, OpSelect, objCh, 0, 1) }, "receive 1 after 0 sends"},
		{"select sends", func(s *script) { s.on(2, OpSelect, objCh, 0, 1|1<<32).on(3, OpRecv, objCh, 1, room1) }, ""},

		{"read what was read", func(s *script) { s.on(2, OpRead, objN, 1, 8).on(3, OpRead, objN, 1, 8) }, ""},
		{"changed unwritten", func(s *script) { s.on(2, OpRead, objN, 1, 8).on(3, OpRead, objN, 2, 8) }, "read 2 where event 4 left 1"},
		{"read what was written", func(s *script) { s.on(2, OpWrite, objN, 5, 8).on(3, OpRead, objN, 5, 8) }, ""},
		{"read something else", func(s *script) { s.on(2, OpWrite, objN, 5, 8).on(3, OpRead, objN, 6, 8) }, "event 4 left 5"},
		{"range write between", func(s *script) {
			s.on(2, OpWrite, objN, 5, 8).on(2, OpWriteRange, objCh, 0, 16).on(3, OpRead, objN, 6, 8)
		}, ""},
		{"range write elsewhere", func(s *script) {
			s.on(2, OpWrite, objN, 5, 8).on(2, OpWriteRange, objMu, 0, 16).on(3, OpRead, objN, 6, 8)
		}, "event 4 left 5"},
		{"atomics", func(s *script) {
			s.on(2, OpAtomicStore, objN, 1, 0).on(3, OpAtomicLoad, objN, 1, 0).on(3, OpAtomicRMW, objN, 4, 0).on(2, OpAtomicLoad, objN, 4, 0)
		}, ""},
		{"stale atomic", func(s *script) { s.on(2, OpAtomicStore, objN, 1, 0).on(3, OpAtomicLoad, objN, 0, 0) }, "loaded 0 where event 4 left 1"},
		{"swapped", func(s *script) {
			s.on(2, OpAtomicStore, objN, 1, 0).on(3, OpAtomicCAS, objN, 1, 0).on(3, OpAtomicLoad, objN, 9, 0)
		}, ""},
		{"not swapped", func(s *script) {
			s.on(2, OpAtomicStore, objN, 1, 0).on(3, OpAtomicCAS, objN, 0, 0).on(3, OpAtomicLoad, objN, 9, 0)
		}, "left 1"},

		{"runs while blocked", func(s *script) { block(s, 2, OpLock, objMu).on(2, OpEnd, 0, 0, 0) }, "blocked since event 4"},
		{"woken and runs", func(s *script) { wake(block(s, 2, OpLock, objMu), 3, 2).on(2, OpEnd, 0, 0, 0) }, ""},
		{"woken twice", func(s *script) { wake(wake(block(s, 2, OpLock, objMu), 3, 2), 3, 2) }, "was not blocked"},
		{"runs after its end", func(s *script) { s.on(2, OpEnd, 0, 0, 0).on(2, OpGosched, 0, 0, 0) }, "ended at event 4"},
		{"starts twice", func(s *script) { s.on(2, OpStart, 0, 0, 0) }, "starts again"},
		{"started twice", func(s *script) { s.on(1, OpSpawn, 0, 0, 2) }, "started at event 0 already"},
		{"wrong number", func(s *script) { s.on(2, OpEnd, 0, 0, 0).t.Events[4].Seq = 9 }, "its number is 9"},
		{"no such object", func(s *script) { s.on(2, OpRead, 77, 0, 0) }, "no such object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript()
			tt.build(s)
			err := Check(s.t)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Check = %v, want %q", err, tt.want)
			}
			var v *Violation
			if err != nil && !errors.As(err, &v) {
				t.Errorf("%T is no Violation", err)
			}
		})
	}
}

func TestCheckStartNeedsSpawn(t *testing.T) {
	s := newScript()
	s.t.Events = s.t.Events[:0]
	s.on(2, OpStart, 0, 0, 0)
	if err := Check(s.t); err == nil || !strings.Contains(err.Error(), "not started yet") {
		t.Errorf("Check = %v", err)
	}
	s.t.Goroutines[2].Parent = 0
	if err := Check(s.t); err != nil {
		t.Errorf("a goroutine of the runtime: %v", err)
	}
}

// An object that may be several things one after the other proves nothing.
func TestCheckTrustsKnownObjectsOnly(t *testing.T) {
	s := newScript()
	s.on(2, OpLock, objMu, 0, 0).on(3, OpLock, objMu, 0, 0)
	s.t.Objects[objMu].Kind = ObjUnknown
	if err := Check(s.t); err != nil {
		t.Error(err)
	}
}
