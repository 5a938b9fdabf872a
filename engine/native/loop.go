package native

import "github.com/hocket-dev/hocket/engine/trace"

// lastChange is the number of events before the loops of a livelock begin: after
// them nothing is changed that others could see.
func lastChange(t *trace.Trace) int {
	for i := len(t.Events); i > 0; i-- {
		if changes(&t.Events[i-1]) {
			return i
		}
	}
	return 0
}

// changes reports whether an event changes what another goroutine could wait for.
func changes(e *trace.Event) bool {
	switch e.Op {
	case trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpSpawn, trace.OpEnd, trace.OpWrite, trace.OpWriteRange,
		trace.OpWGAdd, trace.OpWGDone, trace.OpClose, trace.OpMapWrite, trace.OpSignal, trace.OpBroadcast:
		return true
	case trace.OpAtomicCAS, trace.OpSend, trace.OpRecv, trace.OpOnceDo:
		return e.Value != 0
	case trace.OpSelect:
		return e.Obj != 0
	}
	return false
}
