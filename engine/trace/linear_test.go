package trace

import (
	"slices"
	"testing"
)

func TestLinear(t *testing.T) {
	const room1 = 1 << 32
	block := func(s *script, g GID, op Op, obj ObjID) *script { return s.on(g, OpBlock, obj, 0, uint64(op)) }
	wake := func(s *script, by, g GID) *script { return s.on(by, OpUnblock, 0, 0, uint64(g)) }
	// Events from 4 on are the case's: want lists the operations among them as
	// goroutine and operation.
	type done struct {
		g  GID
		op Op
	}
	tests := []struct {
		name  string
		build func(s *script)
		want  []done
	}{
		{"waiting receiver, unbuffered", func(s *script) {
			wake(block(s, 2, OpRecv, objCh), 3, 2).on(3, OpSend, objCh, 1, 0).on(3, OpLock, objMu, 0, 0).on(2, OpRecv, objCh, 1, 0)
		}, []done{{3, OpSend}, {2, OpRecv}, {3, OpLock}}},
		{"waiting sender, unbuffered", func(s *script) {
			wake(block(s, 2, OpSend, objCh), 3, 2).on(3, OpRecv, objCh, 1, 0).on(3, OpLock, objMu, 0, 0).on(2, OpSend, objCh, 1, 0)
		}, []done{{2, OpSend}, {3, OpRecv}, {3, OpLock}}},
		{"waiting sender, full channel", func(s *script) {
			wake(block(s, 2, OpSend, objCh), 3, 2).on(3, OpRecv, objCh, 1, room1|1).on(3, OpLock, objMu, 0, 0).on(2, OpSend, objCh, 1, room1|1)
		}, []done{{3, OpRecv}, {2, OpSend}, {3, OpLock}}},
		{"select as the waiting sender", func(s *script) {
			wake(block(s, 2, OpSelect, objCh), 3, 2).on(3, OpRecv, objCh, 1, 0).on(3, OpLock, objMu, 0, 0).on(2, OpSelect, objCh, 0, 2|1<<32)
		}, []done{{2, OpSelect}, {3, OpRecv}, {3, OpLock}}},
		{"two waiters of a group", func(s *script) {
			block(block(s, 2, OpWGWait, objWG), 3, OpWGWait, objWG)
			wake(wake(s, 1, 3), 1, 2).on(1, OpWGDone, objWG, -1, 0).on(1, OpWGAdd, objWG, 1, 0).on(2, OpWGWait, objWG, 0, 0).on(3, OpWGWait, objWG, 0, 0)
		}, []done{{1, OpWGDone}, {3, OpWGWait}, {2, OpWGWait}, {1, OpWGAdd}}},
		{"a lock is tried again", func(s *script) {
			wake(block(s, 2, OpLock, objMu), 3, 2).on(3, OpUnlock, objMu, 0, 0).on(1, OpLock, objMu, 0, 0).on(1, OpUnlock, objMu, 0, 0).on(2, OpLock, objMu, 0, 0)
		}, []done{{3, OpUnlock}, {1, OpLock}, {1, OpUnlock}, {2, OpLock}}},
		{"the last reader hands over", func(s *script) {
			wake(block(s, 2, OpLock, objMu), 3, 2).on(3, OpRUnlock, objMu, 0, 0).on(1, OpTryRLock, objMu, 0, 0).on(2, OpLock, objMu, 0, 0)
		}, []done{{3, OpRUnlock}, {2, OpLock}, {1, OpTryRLock}}},
		{"woken by a timer", func(s *script) {
			wake(block(s, 2, OpRecv, objCh), 0, 2).on(3, OpLock, objMu, 0, 0).on(2, OpRecv, objCh, 1, 0)
		}, []done{{3, OpLock}, {2, OpRecv}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript()
			from := len(s.t.Events)
			tc.build(s)
			var got []done
			for _, i := range s.t.Linear() {
				if e := s.t.Events[i]; i >= from && e.Op != OpBlock && e.Op != OpUnblock {
					got = append(got, done{e.G, e.Op})
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
