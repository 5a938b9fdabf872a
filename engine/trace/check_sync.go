package trace

import "fmt"

// lockRule: a lock has one writer or any number of readers; only a held lock
// is released.
type lockRule struct {
	states map[ObjID]*holding
}

func (r *lockRule) step(_ int, e Event) string {
	if !isLockOp(e.Op) {
		return ""
	}
	h := r.states[e.Obj]
	if h == nil {
		h = &holding{readers: map[GID]int{}}
		r.states[e.Obj] = h
	}
	what := h.wrong(e)
	h.step(e)
	return what
}

// wrong says why an event is impossible in this state of the lock.
func (h *holding) wrong(e Event) string {
	reader := h.other(e.G)
	switch e.Op {
	case OpTryLock, OpTryRLock:
		if e.Value != 1 {
			return "" // a try may fail for no visible reason, for a waiting writer say
		}
	}
	switch e.Op {
	case OpLock, OpTryLock:
		switch {
		case h.held:
			return fmt.Sprintf("locked while goroutine %d holds it", h.writer)
		case reader != 0:
			return fmt.Sprintf("locked while goroutine %d reads", reader)
		}
	case OpRLock, OpTryRLock:
		if h.held {
			return fmt.Sprintf("read-locked while goroutine %d holds it", h.writer)
		}
	case OpUnlock:
		if !h.held {
			return "unlocked but not locked"
		}
	case OpRUnlock:
		if reader == 0 || h.held {
			return "read-unlocked but not read-locked"
		}
	}
	return ""
}

// waitGroupRule: the counter is the sum of what was added, never negative but
// for a panic, and Wait returns only if it was zero since Wait began.
type waitGroupRule struct {
	t      *Trace
	groups map[ObjID]*groupState
	began  map[GID]int // where a goroutine's Wait blocked
}

type groupState struct {
	count int64
	zero  int // last event after which the counter was zero
}

func newWaitGroupRule(t *Trace) *waitGroupRule {
	return &waitGroupRule{t: t, groups: map[ObjID]*groupState{}, began: map[GID]int{}}
}

func (r *waitGroupRule) step(i int, e Event) string {
	g := r.groups[e.Obj]
	if g == nil {
		g = &groupState{zero: -1}
		r.groups[e.Obj] = g
	}
	switch e.Op {
	case OpBlock:
		if Op(e.Aux) == OpWGWait {
			r.began[e.G] = i
		}
	case OpWGAdd, OpWGDone:
		g.count += int64(e.Value)
		if g.count == 0 {
			g.zero = i
		}
		if g.count < 0 && !r.t.panicsNext(i) {
			return fmt.Sprintf("the counter is %d", g.count)
		}
	case OpWGWait:
		began, blocked := r.began[e.G]
		delete(r.began, e.G)
		if g.count != 0 && !(blocked && g.zero > began) {
			return fmt.Sprintf("Wait returned while the counter is %d", g.count)
		}
	}
	return ""
}

// panicsNext reports whether the goroutine of event i panics next or never goes
// on.
func (t *Trace) panicsNext(i int) bool {
	for _, e := range t.Events[i+1:] {
		if e.G == t.Events[i].G {
			return e.Op == OpPanicStart || e.Op == OpPanic || e.Op == OpFatal
		}
	}
	return true
}
