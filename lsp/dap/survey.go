package dap

import (
	"encoding/json"
	"fmt"
	"slices"
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
	of := w.numbered(number)
	if of == nil {
		then(nil)
		return
	}
	met := &meeting{of: of, sides: make([]side, len(of.Sides))}
	for i := range met.sides {
		met.sides[i].name = "goroutine"
	}
	w.members(s, of, last, func(threads []int) {
		left := len(threads)
		for k, thread := range threads {
			w.sideOf(s, thread, func(v visit) {
				met.sides[of.Order[k]-1] = v.side
				if left--; left == 0 {
					then(met)
				}
			})
		}
	})
}

// members asks the runtime which goroutines have met, in the order of release;
// 0 stands for one that it does not name.
func (w *meetings) members(s *session, of *engine.DebugBreak, last int, then func([]int)) {
	threads := make([]int, len(of.Order))
	s.stack(last, func(stack []frame) {
		i := slices.IndexFunc(stack, func(f frame) bool { return f.Name == showFunction })
		if i < 0 {
			then(threads)
			return
		}
		left := len(threads)
		for k := range threads {
			s.evaluate(fmt.Sprintf("m.order[%d].waiter.goid", k), stack[i].ID, func(goid uint64) {
				threads[k] = int(goid)
				if left--; left == 0 {
					then(threads)
				}
			})
		}
	})
}

// thread is a goroutine as Delve lists it.
type thread struct {
	ID   int
	Name string // "[Go 7] hocketpoints.(*sleeper).nap"
}

// mayWait reports whether a goroutine may stand at a side: it is in the runtime's
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

// visit is a goroutine in the runtime's code.
type visit struct {
	id, n int // number of the breakpoint and of the side at which it is held, 0 if it is not
	side
}

// visits finds the goroutines of some threads that are in the runtime's code.
func (w *meetings) visits(s *session, among []thread, then func([]visit)) {
	var all []visit
	left := min(len(among), mostWaiting)
	if left == 0 {
		then(nil)
		return
	}
	for _, th := range among[:left] {
		w.sideOf(s, th.ID, func(v visit) {
			if v.above > 0 {
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
		i := slices.IndexFunc(stack[:v.above], func(f frame) bool { return f.Name == hereFunction })
		if i < 0 {
			then(v)
			return
		}
		s.evaluate("b.def.ID*1000+side", stack[i].ID, func(n uint64) {
			v.id, v.n = int(n/1000), int(n%1000)
			if v.n == 0 {
				v.id = 0
			}
			then(v)
		})
	})
}
