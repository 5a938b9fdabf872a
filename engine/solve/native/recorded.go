package native

import "github.com/hocket-dev/hocket/engine/constraint"

// successors lists the events after each, in one array.
func successors(sys *constraint.System) [][]constraint.EventID {
	count := make([]int, len(sys.Events))
	for e := range sys.Events {
		if p := sys.Events[e].Prev; p != constraint.NoEvent {
			count[p]++
		}
	}
	flat := make([]constraint.EventID, len(sys.Events))
	kids := make([][]constraint.EventID, len(sys.Events))
	for e, at := 0, 0; e < len(kids); e++ {
		kids[e] = flat[at : at : at+count[e]]
		at += count[e]
	}
	for e := range sys.Events {
		if p := sys.Events[e].Prev; p != constraint.NoEvent {
			kids[p] = append(kids[p], constraint.EventID(e))
		}
	}
	return kids
}

// ranks numbers events so that recorded ones are in recorded order and the
// others come right behind the event before them.
func ranks(sys *constraint.System, kids [][]constraint.EventID) []int64 {
	rank := make([]int64, len(sys.Events))
	var stack []constraint.EventID
	for e := range sys.Events {
		if sys.Events[e].Prev == constraint.NoEvent {
			stack = append(stack, constraint.EventID(e))
		}
	}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], kids[e]...)
		switch ev := &sys.Events[e]; {
		case ev.At >= 0:
			rank[e] = int64(ev.At+1) << 24
		case ev.Prev != constraint.NoEvent:
			rank[e] = rank[ev.Prev] + 1
		}
	}
	return rank
}
