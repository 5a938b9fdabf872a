package trace

// Standing returns the operation of a goroutine at the end of the run: one that
// it had not begun although it could have gone on (Pending), or one in which it
// waited (Outcome.Blocked, or its last event an OpBlock). Obj is its object, 0
// if it has none. cases are the OpSelectCase events of a select that waited,
// nil for one that had not begun, whose cases are not known.
//
// known is false for a goroutine that had ended, that was running at the end,
// that had been woken but did not go on, or that had not reached its first
// switch point.
func (t *Trace) Standing(g GID) (op Op, obj ObjID, cases []Event, known bool) {
	if g == 0 {
		return 0, 0, nil, false
	}
	for _, e := range t.Pending {
		if e.G == g {
			return e.Op, e.Obj, nil, e.Op != OpNone
		}
	}
	waits, woken := false, false
	for i := len(t.Events) - 1; i >= 0; i-- {
		switch e := t.Events[i]; {
		case e.Op == OpUnblock && GID(e.Aux) == g:
			woken = true
		case e.G != g:
		case e.Op == OpBlock && !waits && !woken:
			op, obj, waits = Op(e.Aux), e.Obj, true
		case e.Op == OpSelectCase && waits && op == OpSelect:
			cases = append([]Event{e}, cases...)
		default:
			return op, obj, cases, waits && op != OpNone
		}
	}
	return op, obj, cases, waits && op != OpNone
}
