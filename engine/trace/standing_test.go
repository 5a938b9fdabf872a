package trace

import "testing"

func TestStanding(t *testing.T) {
	s := newScript()
	s.on(2, OpSelectCase, objCh, 0, 1).on(2, OpSelectCase, objCh, 1, 0).on(2, OpSelect, objCh, 1, 2)
	s.on(2, OpSelectCase, objCh, 0, 1).on(2, OpSelectCase, 0, 1, 0).on(2, OpBlock, objCh, 0, uint64(OpSelect))
	s.on(3, OpBlock, objMu, 0, uint64(OpLock)).on(1, OpWGAdd, objWG, 1, 0)
	check := func(what string, g GID, op Op, obj ObjID, cases int, known bool) {
		t.Helper()
		gotOp, gotObj, gotCases, gotKnown := s.t.Standing(g)
		if gotKnown != known || known && (gotOp != op || gotObj != obj || len(gotCases) != cases) {
			t.Errorf("%s: got %v %d %v %v", what, gotOp, gotObj, gotCases, gotKnown)
		}
	}
	check("waits in a select", 2, OpSelect, objCh, 2, true)
	check("waits for a lock", 3, OpLock, objMu, 0, true)
	check("ran", 1, 0, 0, 0, false)
	check("the runtime", 0, 0, 0, 0, false)
	s.on(1, OpUnblock, 0, 0, 3)
	check("woken, but did not run", 3, 0, 0, 0, false)
	s.t.Pending = []Event{{G: 1, Op: OpWGWait, Obj: objWG}}
	check("could have gone on", 1, OpWGWait, objWG, 0, true)
	s.on(2, OpUnblock, 0, 0, 2)
	s.t.Events = append(s.t.Events, Event{Seq: len(s.t.Events), G: 2, Op: OpEnd})
	check("ended", 2, 0, 0, 0, false)
}
