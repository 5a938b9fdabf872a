package dap

import (
	"encoding/json"
	"fmt"
	"strings"
)

// With stopEachSide the program stops, after a meeting, also where a side has
// done its statement and others are still held. Sides whose statement has no
// place after it (a return, a blocking operation) have no such stop.

// watchSides sets the stops that follow a meeting.
func (w *meetings) watchSides(s *session, met *meeting, then func()) {
	if !w.eachSide {
		then()
		return
	}
	w.passing = met
	var who []string
	for _, n := range met.of.Order[:len(met.of.Order)-1] {
		if g := met.sides[n-1].thread; g != 0 {
			who = append(who, fmt.Sprintf("runtime.curg.goid == %d", g))
		}
	}
	w.at.other[setFunctions] = []json.RawMessage{atHit}
	if len(who) > 0 {
		w.at.other[setFunctions] = append(w.at.other[setFunctions], raw(map[string]string{"name": didFunction,
			"condition": fmt.Sprintf("id == %d && (%s)", met.of.Number, strings.Join(who, " || "))}))
	}
	s.setAgain(setFunctions, func(*message) { then() })
}

// passed passes on that a side has done its statement; otherwise is called for
// other stops.
func (w *meetings) passed(s *session, m *message, thread int, otherwise func()) {
	met := w.passing
	i := met.side(thread)
	if i < 0 {
		otherwise()
		return
	}
	s.stack(thread, func(stack []frame) {
		if len(stack) == 0 || stack[0].Name != didFunction {
			otherwise()
			return
		}
		at := met.of.Sides[i]
		text := fmt.Sprintf("concurrent breakpoint %s: %s has done its statement at %s", met.of.ID, met.called(i), place(at.File, at.Line))
		for k, n := range met.of.Order[:len(met.of.Order)-1] {
			if n == i+1 {
				text += "; " + met.called(met.of.Order[k+1]-1) + " goes on next"
			}
		}
		s.worded(m, fmt.Sprintf("side %d of %s done", i+1, met.of.ID), text, thread)
	})
}
