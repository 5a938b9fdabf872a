package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSwitches(t *testing.T) {
	s := newScript() // main, main, 2, 3
	s.on(3, OpBlock, objMu, 0, uint64(OpLock)).on(2, OpUnblock, 0, 0, 3).on(0, OpTimer, 0, 0, 0).on(2, OpEnd, 0, 0, 0).on(3, OpLock, objMu, 0, 0)
	want := []Switch{{1, 2, 2, true}, {2, 3, 3, true}, {3, 2, 5, false}, {2, 3, 8, false}}
	if d := cmp.Diff(want, s.t.Switches()); d != "" {
		t.Error(d)
	}
}

func TestDataFlow(t *testing.T) {
	const room1 = 1 << 32
	tests := []struct {
		name  string
		build func(s *script)
		want  []Flow
	}{
		{"plain", func(s *script) {
			s.on(2, OpRead, objN, 0, 8).on(2, OpWrite, objN, 1, 8).on(3, OpRead, objN, 1, 8)
		}, []Flow{{5, 6}}},
		{"range", func(s *script) {
			s.on(2, OpWrite, objN, 0, 8).on(2, OpWriteRange, objCh, 0, 32).on(3, OpRead, objN, 1, 8)
		}, []Flow{{5, 6}}},
		{"atomic", func(s *script) {
			s.on(2, OpAtomicStore, objN, 1, 0).on(3, OpAtomicRMW, objN, 2, 0).on(2, OpAtomicCAS, objN, 0, 0).on(2, OpAtomicLoad, objN, 2, 0)
		}, []Flow{{4, 5}, {5, 6}, {5, 7}}},
		{"swap", func(s *script) { s.on(2, OpAtomicCAS, objN, 1, 0).on(3, OpAtomicLoad, objN, 2, 0) }, []Flow{{4, 5}}},
		{"sync.Map", func(s *script) { s.on(2, OpMapWrite, objMu, 0, 0).on(3, OpMapRead, objMu, 0, 0) }, []Flow{{4, 5}}},
		{"channel", func(s *script) {
			s.on(2, OpSend, objCh, 1, room1).on(3, OpRecv, objCh, 1, room1).on(3, OpRecv, objCh, 0, 0).
				on(3, OpSelect, objCh, 0, 1).on(2, OpSelect, objCh, 0, 1|1<<32)
		}, []Flow{{4, 5}, {8, 7}}},
	}
	for _, tt := range tests {
		s := newScript()
		tt.build(s)
		if d := cmp.Diff(tt.want, s.t.DataFlow()); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}
