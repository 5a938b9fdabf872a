package breakpoints

import (
	"sync"
	"testing"
	"time"
)

// shared makes breakpoints as a program would read them, each to be visited at
// its sides by number.
func shared(t *testing.T, text string) map[int]*Breakpoint {
	t.Helper()
	defs, err := ParseDefinitions(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []*Breakpoint
	set := map[int]*Breakpoint{}
	for _, d := range defs {
		b := newBreakpoint(d, &gateRow{})
		b.arm(true)
		list, set[d.ID] = append(list, b), b
	}
	findPeers(list)
	t.Cleanup(func() {
		change(func() {
			for _, b := range list {
				b.arm(false)
				b.releaseAll()
			}
		})
	})
	return set
}

// at does what injected code does before a statement that is side of bs, and after it.
func at(side int, statement func(), bs ...*Breakpoint) {
	for _, b := range bs {
		if b.gates[side].isOpen() {
			b.here(side, nil)
		}
	}
	statement()
	for _, b := range bs {
		if b.gates[didAwaited].isOpen() {
			b.didNext(side)
		}
	}
}

// Two breakpoints at the same two statements are both hit, in their order,
// whoever comes first.
func TestSameTwoStatements(t *testing.T) {
	for _, later := range []int{1, 2} {
		for range 20 {
			s := shared(t, "break 1 \"a\" 2 order 2,1 timeouts 5s,5s dids 1,2 at 7,8\nbreak 2 \"b\" 2 order 2,1 timeouts 5s,5s dids 1,2 at 7,8\n")
			var order []int
			var mu sync.Mutex
			var wg sync.WaitGroup
			for _, side := range []int{1, 2} {
				wg.Go(func() {
					if side == later {
						time.Sleep(time.Millisecond)
					}
					at(side, func() { mu.Lock(); order = append(order, side); mu.Unlock() }, s[1], s[2])
				})
			}
			wg.Wait()
			for id := 1; id <= 2; id++ {
				if st := s[id].Stat(); st.Hit != 1 || st.TimedOut[0]+st.TimedOut[1] != 0 {
					t.Errorf("side %d later: breakpoint %d: %+v", later, id, st)
				}
			}
			if len(order) != 2 || order[0] != 2 {
				t.Errorf("side %d later: went on as %v, want 2 first", later, order)
			}
		}
	}
}

// Who pauses for one breakpoint's partner is there for the other's, whichever
// of them comes; and for both, one after the other.
func TestSharedStatement(t *testing.T) {
	for _, tc := range []struct {
		name string
		come []int
	}{{"first", []int{1}}, {"second", []int{2}}, {"both", []int{1, 2}}, {"other way round", []int{2, 1}}} {
		t.Run(tc.name, func(t *testing.T) {
			s := shared(t, "break 1 \"a\" 2 timeouts 300ms,300ms dids 1,2 at 1,2\nbreak 2 \"b\" 2 timeouts 300ms,300ms dids 1,2 at 1,3\n")
			var wg sync.WaitGroup
			began := time.Now()
			wg.Go(func() { at(1, func() {}, s[1], s[2]) })
			for i, id := range tc.come {
				wg.Go(func() {
					time.Sleep(time.Duration(10*(i+1)) * time.Millisecond)
					at(2, func() {}, s[id])
				})
			}
			wg.Wait()
			for _, id := range tc.come {
				if s[id].Stat().Hit != 1 {
					t.Errorf("breakpoint %d: %+v", id, s[id].Stat())
				}
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("took %v: the pauses don't overlap", took)
			}
			if waiters.stops != nil || waiters.n != 0 {
				t.Errorf("%d are left in the room, stands %v", waiters.n, waiters.stops)
			}
		})
	}
}

// The first side of an order has passed when it comes, though another
// breakpoint holds its goroutine; who waits for it still goes on after it.
func TestOrderIsNotHidden(t *testing.T) {
	s := shared(t, "break 1 \"a\" 2 timeouts 50ms,50ms at 1,2\nbreak 2 \"b\" 2 oneway timeouts 400ms,400ms dids 1,2 at 1,3\n")
	var order []int
	var mu sync.Mutex
	var wg sync.WaitGroup
	add := func(n int) func() { return func() { mu.Lock(); defer mu.Unlock(); order = append(order, n) } }
	wg.Go(func() { at(1, add(1), s[1], s[2]) }) // nobody comes to 1's other side
	wg.Go(func() { time.Sleep(5 * time.Millisecond); at(2, add(2), s[2]) })
	wg.Wait()
	if st := s[2].Stat(); st.Hit != 1 || order[0] != 1 {
		t.Errorf("went on as %v: %+v", order, st)
	}
}

// A breakpoint at the statement whose condition is false takes nothing from the
// other one, wherever it stands.
func TestFalseConditionBeside(t *testing.T) {
	s := shared(t, "break 1 \"a\" 2 timeouts 5s,5s at 1,2\nbreak 2 \"b\" 2 timeouts 5s,5s at 1,2\n")
	no := func() (bool, []any) { return false, nil }
	var wg sync.WaitGroup
	for side := 1; side <= 2; side++ {
		wg.Go(func() {
			s[1].here(side, nil)
			s[2].here(side, no)
		})
	}
	wg.Wait()
	if a, b := s[1].Stat(), s[2].Stat(); a.Hit != 1 || b.Hit != 0 {
		t.Errorf("%+v\n%+v", a, b)
	}
}
