package projection

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// did describes an access; object is what to call the object.
func (a *analysis) did(e entry, object string) string {
	if s := a.called(e); s != "" {
		return s
	}
	val := ""
	if e.ev >= 0 {
		val = a.inWords(e)
	}
	switch e.op {
	case trace.OpRead, trace.OpReadRange, trace.OpAtomicLoad, trace.OpMapRead:
		if val != "" {
			return fmt.Sprintf("read %s from %s", val, object)
		}
		return "read " + object
	case trace.OpAtomicCAS:
		if e.ev >= 0 && e.r.events[e.ev].Value == 0 {
			return "could not swap " + object
		}
		return "swapped " + object
	case trace.OpWrite, trace.OpWriteRange, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpMapWrite:
		if val != "" {
			return fmt.Sprintf("set %s to %s", object, val)
		}
		return "wrote " + object
	case trace.OpSend:
		if e.ev >= 0 && e.r.events[e.ev].Op == e.op && e.r.events[e.ev].Value == 0 {
			return "took `default` instead of sending on " + object
		}
		return "sent on " + object
	case trace.OpRecv:
		if e.ev >= 0 && e.r.events[e.ev].Value == 0 {
			return "saw nothing in " + object
		}
		return "received from " + object
	case trace.OpNetDial:
		return "dialed " + object
	case trace.OpNetAccept:
		return "accepted from " + object
	case trace.OpNetRead:
		return "read from " + object
	case trace.OpNetWrite:
		return "wrote to " + object
	case trace.OpNetDeadline:
		return "set a deadline of " + object
	case trace.OpClose, trace.OpNetClose:
		return "closed " + object
	case trace.OpSelect:
		if _, text := a.selectCase(e); text != "" {
			return "took `" + text + "`"
		}
		return "took " + object
	case trace.OpTryLock, trace.OpTryRLock:
		if e.ev >= 0 && e.r.events[e.ev].Value == 0 {
			return "could not lock " + object
		}
		return "locked " + object
	case trace.OpBlock:
		return "waited for " + object
	case trace.OpLock:
		return "locked " + object
	case trace.OpRLock:
		return "read-locked " + object
	case trace.OpUnlock, trace.OpRUnlock:
		return "unlocked " + object
	case trace.OpSignal, trace.OpBroadcast:
		return "signalled " + object
	case trace.OpCondWake, trace.OpCondWait, trace.OpWGWait:
		return "waited for " + object
	case trace.OpWGDone:
		return "called Done on " + object
	case trace.OpWGAdd:
		return "called Add on " + object
	case trace.OpOnceDo:
		return "called Do on " + object
	case trace.OpPoolGet:
		return "took from " + object
	case trace.OpPoolPut:
		return "put into " + object
	case trace.OpSpawn:
		return "started a goroutine"
	case trace.OpSleep:
		return "slept"
	case trace.OpTestFail, trace.OpFatal:
		return "failed"
	case trace.OpPanic, trace.OpPanicStart:
		return "panicked"
	}
	if e.obj == 0 {
		return opWord(e.op)
	}
	return opWord(e.op) + " " + object
}

// didPlainly describes e after w, without a value that w's part of the sentence
// has already given.
func (a *analysis) didPlainly(w, e entry) string {
	if s := a.called(e); s != "" {
		return s
	}
	if e.ev >= 0 && w.ev >= 0 && a.fail.events[e.ev].Reads() && e.r.value(e.ev) == w.r.value(w.ev) {
		return "read " + a.again(w, e)
	}
	return a.did(e, a.again(w, e))
}

// again is "it" if b is about the object that the words about e, told before it, name.
func (a *analysis) again(e, b entry) string {
	object := a.object(b)
	if name := a.nameOf(e); name != "" && name == a.nameOf(b) && a.object(e) == object && strings.Contains(a.did(e, object), object) {
		return "it"
	}
	return object
}
