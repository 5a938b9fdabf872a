package dap

import (
	"encoding/json"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// enough is how many frames name a goroutine: more, and it is named after a
// function further in.
const enough = 200

// stack asks for the stack of a goroutine, empty if there is none.
func (s *session) stack(thread int, then func([]frame)) {
	s.call("stackTrace", raw(map[string]int{"threadId": thread, "levels": enough}), func(a *message) { then(stackOf(a)) })
}

// meet finds out who stands at the sides of breakpoint number, of which the
// goroutine last has come last. then gets nil if the breakpoint is not known.
func (w *meetings) meet(s *session, number, last int, then func(*meeting)) {
	var of *engine.DebugBreak
	for i := range w.Breaks {
		if w.Breaks[i].Number == number {
			of = &w.Breaks[i]
		}
	}
	if of == nil {
		then(nil)
		return
	}
	met := &meeting{of: of, sides: make([]side, len(of.Sides))}
	for i := range met.sides {
		met.sides[i].name = "goroutine"
	}
	w.waiting(s, last, func(threads []int) {
		left := len(threads)
		for _, thread := range threads {
			w.sideOf(s, thread, func(id, n int, sd side) {
				if id == number && n >= 1 && n <= len(met.sides) && (met.sides[n-1].thread == 0 || thread == last) {
					met.sides[n-1] = sd
				}
				if left--; left == 0 {
					then(met)
				}
			})
		}
	})
}

// waiting finds the goroutines that may stand at a side: last, and those that
// sleep or yield, as the runtime does while it waits.
func (w *meetings) waiting(s *session, last int, then func([]int)) {
	s.call("threads", nil, func(a *message) {
		var body struct {
			Threads []struct {
				ID   int
				Name string // "[Go 7] time.Sleep"
			}
		}
		_ = json.Unmarshal(a.Body, &body)
		all := []int{last}
		for _, th := range body.Threads {
			if th.ID != last && (strings.Contains(th.Name, runtimePackage) || strings.Contains(th.Name, "time.Sleep") || strings.Contains(th.Name, "runtime.Gosched")) {
				all = append(all, th.ID)
			}
		}
		then(all)
	})
}

// sideOf tells at which side of which breakpoint a goroutine stands, 0 if at
// none.
func (w *meetings) sideOf(s *session, thread int, then func(id, n int, sd side)) {
	s.stack(thread, func(stack []frame) {
		sd := side{thread: thread, name: nameOf(stack), stack: stack, above: above(stack)}
		if sd.above == 0 || stack[sd.above-1].Name != sideFunction {
			then(0, 0, sd)
			return
		}
		s.evaluate("id*1000+side", stack[sd.above-1].ID, func(n uint64) { then(int(n/1000), int(n%1000), sd) })
	})
}
