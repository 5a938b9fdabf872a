package dap

import (
	"encoding/json"
	"slices"
	"strings"
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
	of := w.numbered(number)
	if of == nil {
		then(nil)
		return
	}
	met := &meeting{of: of, sides: make([]side, len(of.Sides))}
	for i := range met.sides {
		met.sides[i].name = "goroutine"
	}
	s.threads(func(all []thread) {
		likely, others := []thread{{ID: last}}, []thread(nil)
		for _, th := range all {
			switch {
			case th.ID == last:
			case th.mayWait():
				likely = append(likely, th)
			default: // it may be inside of anything that the waiting calls
				others = append(others, th)
			}
		}
		take := func(all []visit) {
			for _, v := range all {
				if v.id == number && v.n <= len(met.sides) && (met.sides[v.n-1].thread == 0 || v.thread == last) {
					met.sides[v.n-1] = v.side
				}
			}
		}
		w.visits(s, likely, func(all []visit) {
			if take(all); met.complete() {
				then(met)
				return
			}
			w.visits(s, others, func(all []visit) {
				take(all)
				then(met)
			})
		})
	})
}

// complete tells whether each side's goroutine is known.
func (m *meeting) complete() bool {
	return !slices.ContainsFunc(m.sides, func(sd side) bool { return sd.thread == 0 })
}

// thread is a goroutine as Delve lists it.
type thread struct {
	ID   int
	Name string // "[Go 7] hocketpoints.(*sleeper).nap"
}

// mayWait tells whether a goroutine may stand at a side: it is in the runtime's
// own code, or yields, as that does in a bubble of testing/synctest.
func (t thread) mayWait() bool {
	return strings.Contains(t.Name, runtimePackage) || strings.Contains(t.Name, "runtime.Gosched")
}

// mostWaiting bounds how many goroutines are asked where they wait.
const mostWaiting = 1000

// threads lists the goroutines.
func (s *session) threads(then func([]thread)) {
	s.call("threads", nil, func(a *message) { then(threadsOf(a)) })
}

func threadsOf(answer *message) []thread {
	var body struct{ Threads []thread }
	_ = json.Unmarshal(answer.Body, &body)
	return body.Threads
}

// visit is a goroutine at a side of a breakpoint.
type visit struct {
	id, n int // number of the breakpoint, of the side
	side
}

// visits finds the goroutines of some threads that stand at sides.
func (w *meetings) visits(s *session, among []thread, then func([]visit)) {
	var all []visit
	left := min(len(among), mostWaiting)
	if left == 0 {
		then(nil)
		return
	}
	for _, th := range among[:left] {
		w.sideOf(s, th.ID, func(v visit) {
			if v.id != 0 {
				all = append(all, v)
			}
			if left--; left == 0 {
				then(all)
			}
		})
	}
}

// sideOf tells at which side of which breakpoint a goroutine stands; id is 0 if
// at none.
func (w *meetings) sideOf(s *session, thread int, then func(visit)) {
	s.stack(thread, func(stack []frame) {
		v := visit{side: side{thread: thread, name: nameOf(stack), stack: stack, above: above(stack)}}
		if v.above == 0 || stack[v.above-1].Name != sideFunction {
			then(v)
			return
		}
		s.evaluate("id*1000+side", stack[v.above-1].ID, func(n uint64) {
			v.id, v.n = int(n/1000), int(n%1000)
			if v.n == 0 {
				v.id = 0
			}
			then(v)
		})
	})
}
