package breakpoints

import (
	"runtime"
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

// mismatch runs two goroutines through a breakpoint of injected code: one at
// side with the keys first, the other, that is started when this one pauses,
// or delay later, at the other side with the keys second. Everybody else is
// blocked.
func mismatch(t *testing.T, side int, first, second []int, delay time.Duration) *Stat {
	t.Helper()
	stat := define(t, "break 4 \"b\" 2 timeouts 400ms,400ms dids 1,2 joint \"$1.0 == $2.0\"\n")
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
	runAll(t, through(side, first), func() {
		for somebody := false; !somebody; {
			s := stat()[4]
			somebody = s != nil && s.Postponed[side-1] > 0
			runtime.Gosched()
		}
		time.Sleep(delay)
		through(3-side, second)()
	})
	return stat()[4]
}

// Two that wait for each other with different values: one is let go and runs
// until it comes with the value of the other.
func TestMismatch(t *testing.T) {
	one, many := []int{57}, append(downward(300), downward(300)...)
	for _, c := range []struct {
		name          string
		first, second []int
		delay         time.Duration
	}{
		{"once, then often", one, many, 0},
		{"up and down", upward(400), downward(400), 0},
		{"down and up", downward(400), upward(400), 0},
		{"often and for nothing, then once", many, one, 600 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range 6 {
				side := 1 + i%2
				if s := mismatch(t, side, c.first, c.second, c.delay); s == nil || s.Hit == 0 {
					t.Errorf("first at side %d: no hit: %+v", side, s)
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
		if waiters.first != nil {
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
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	if waiters.dropPassers(0); waiters.passers != nil {
		t.Error("somebody passes freely still")
	}
}

// A statement that is several sides: each goroutine is another side.
func TestOneStatementSeveralSides(t *testing.T) {
	stat := define(t, "break 5 \"b\" 3 timeouts 20s,20s,20s\nbreak 6 \"c\" 3 timeouts 20s,20s,20s joint \"$1.0 == $2.0 && $2.0 == $3.0\"\n")
	same := func(id int, sides ...int) func() {
		return func() { Before(id, func() (bool, []any) { return true, []any{7} }, sides...) }
	}
	stop := keepRunning()
	defer stop()
	runAll(t, same(5, 1, 2, 3), same(5, 1, 2, 3), same(5, 1, 2, 3))
	runAll(t, same(6, 3), same(6, 1, 2), same(6, 1, 2))
	for id := 5; id <= 6; id++ {
		if s := stat()[id]; s == nil || s.Hit != 1 {
			t.Errorf("%d: %+v", id, s)
		}
	}
}

// One goroutine alone pauses once at such a statement, not once for each side.
func TestOneStatementAlone(t *testing.T) {
	stat := define(t, "break 5 \"b\" 2 timeouts 50ms,50ms joint \"$1.0 != $2.0\"\n")
	stop := keepRunning()
	defer stop()
	v := func() (bool, []any) { return true, []any{1} }
	runAll(t, func() { Before(5, v, 1, 2) }, func() { Before(5, v, 1, 2) })
	if s := stat()[5]; s == nil || s.Hit != 0 || s.Postponed[0] != 1 || s.Postponed[1] != 1 {
		t.Errorf("%+v", s)
	}
}
