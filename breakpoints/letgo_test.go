package breakpoints

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// upward gives 0, 1, ..., n-1, downward the reverse.
func upward(n int) (keys []int) {
	for i := range n {
		keys = append(keys, i)
	}
	return keys
}

func downward(n int) []int {
	keys := upward(n)
	slices.Reverse(keys)
	return keys
}

// mismatch runs two goroutines through a breakpoint of injected code: at side 1
// with the first keys, at side 2 with the others, the first one starting late
// by so much. Everybody else is blocked.
func mismatch(t *testing.T, first, second []int, late time.Duration) *Stat {
	t.Helper()
	stat := define(t, "break 4 \"b\" 2 timeouts 100ms,100ms dids 1,2 joint \"$1.0 == $2.0\"\n")
	through := func(side int, keys []int) func() {
		return func() {
			for _, k := range keys {
				if Ready(4, side) {
					k := k
					Side(4, side, func() (bool, []any) { return true, []any{k} })
				}
				Did(4, side)
			}
		}
	}
	slow := func() {
		time.Sleep(late)
		through(1, first)()
	}
	runAll(t, slow, through(2, second))
	return stat()[4]
}

// Two that wait for each other with different values: one is let go and runs
// until it comes with the value of the other.
func TestMismatch(t *testing.T) {
	one := []int{57}
	for _, c := range []struct {
		name          string
		first, second []int
		late          time.Duration
	}{
		{"side 1 once", one, append(downward(300), downward(300)...), 0},
		{"up and down", upward(400), downward(400), 0},
		{"down and up", downward(400), upward(400), 3 * time.Millisecond},
		{"comes when the other has paused for nothing", one, append(downward(300), downward(300)...), 150 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range 8 {
				if s := mismatch(t, c.first, c.second, c.late); s == nil || s.Hit == 0 {
					t.Errorf("run %d: no hit: %+v", i, s)
				}
			}
		})
	}
}

// The one that comes last at side 1, once, is let go and blocks in its
// statement, by what the kept one holds: it is met there.
func TestBlockedInItsStatement(t *testing.T) {
	for range 5 {
		stat := define(t, "break 5 \"b\" 2 timeouts 200ms,200ms dids 1,2 joint \"$1.0 == $2.0\"\n")
		var mu sync.Mutex
		locked := make(chan bool)
		runAll(t, func() {
			mu.Lock()
			close(locked)
			for k := range 300 {
				Side(5, 2, func() (bool, []any) { return true, []any{k} })
				Did(5, 2)
			}
			mu.Unlock()
		}, func() {
			<-locked
			time.Sleep(2 * time.Millisecond)
			Side(5, 1, func() (bool, []any) { return true, []any{250} })
			mu.Lock()
			Did(5, 1)
			mu.Unlock()
		})
		if s := stat()[5]; s == nil || s.Hit != 1 {
			t.Errorf("stat %+v", s)
		}
		if hall.first != nil {
			t.Error("somebody is left in the room")
		}
	}
}

// Several breakpoints in one process, nobody matches: one after the other is
// let go, and nobody for ever.
func TestNobodyMatches(t *testing.T) {
	stat := define(t, "break 5 \"a\" 2 timeouts 10s,10s joint \"$1.0 == $2.0\"\nbreak 6 \"b\" 3 timeouts 10s,10s,10s joint \"$1.0 == $2.0 && $2.0 == $3.0\"\n")
	var fs []func()
	for i := range 5 {
		fs = append(fs, func() {
			for k := range 20 {
				at := func() (bool, []any) { return true, []any{100*i + k} }
				if i < 2 {
					Side(5, 1+i, at)
				} else {
					Side(6, i-1, at)
				}
			}
		})
	}
	if d := runAll(t, fs...); d > 8*time.Second {
		t.Errorf("took %v", d)
	}
	if s := stat(); s[5].Hit+s[6].Hit != 0 {
		t.Errorf("%+v %+v", s[5], s[6])
	}
	hall.mu.Lock()
	defer hall.mu.Unlock()
	if hall.forgetFreed(0); hall.free != nil {
		t.Error("somebody passes freely still")
	}
}
