package projection

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
)

// Who made a channel left before the line that closes it, and no run closes it.
func TestMakerThatLeftWithoutClosing(t *testing.T) {
	src := `package main

func get(m *memo) error {
	c, ok := m.calls["x"]
	if !ok {
		c = &call{done: make(chan int)}
		m.calls["x"] = c
		c.err = m.load()
		if c.err != nil {
			return c.err
		}
		close(c.done)
		return nil
	}
	<-c.done
	return c.err
}
`
	p := told(t, src, `
main spawn get a.go:20
main spawn get#2 a.go:20
get start
heap 0.1:done c.done a.go:6
get mapwrite m.calls a.go:7
get read m.load a.go:8
get end
get#2 start
get#2 mapread m.calls a.go:4
get#2 block 0.1:done a.go:15
blocked get#2 recv 0.1:done a.go:15
outcome leak "1 goroutine is blocked for ever"
`, "")
	expect(t, p, "`get#2` waits to receive from `c.done` (line 15); `get`, which made it (6), returned (10) without `close(c.done)` (12).",
		"`close(c.done)` (12) must run on that way, too.", 10, 15)
}

// Nobody is known who should have come: what decides it is told.
func TestWaitThatOnlyTheCoreExplains(t *testing.T) {
	src := `package main

func use(l *limiter) {
	s := l.slots
	s <- 1
	l.inUse = 1
	s = l.slots
	<-s
}

func resize(l *limiter) {
	if l.inUse == 0 {
		l.slots = make(chan int, 1)
	}
}
`
	p := ofCore(t, "a.go", src, `
main spawn use a.go:20
main spawn resize a.go:21
use start
use read l.slots=1 a.go:4
resize start
resize read l.inUse=0 a.go:12
resize write l.slots=2 a.go:13
use write l.inUse=1 a.go:6
use read l.slots=2 a.go:7
use block l.next a.go:8
blocked use recv l.next a.go:8
outcome leak "1 goroutine is blocked for ever"
`, `
main spawn use a.go:20
main spawn resize a.go:21
use start
use read l.slots=1 a.go:4
use write l.inUse=1 a.go:6
resize start
resize read l.inUse=1 a.go:12
use read l.slots=1 a.go:7
use recv l.slots.first=1/4294967296 a.go:8
`, cause.Literal{Before: 3, After: 6}, cause.Literal{Before: 5, After: 7})
	want := "`use` waits to receive from `l.next` (line 8); in these runs nothing sends on it or closes it. `use` read 1 from `l.slots` (4); `resize` then read 0 from `l.inUse` (12) and set `l.slots` to 2 (13); `use` then set `l.inUse` to 1 (6)."
	if p.Sentence != want {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, want)
	}
	if p.Cause == nil || len(p.Cause.Orders) != 2 {
		t.Errorf("orders %+v", p.Cause)
	}
}

// Who starts a goroutine took a place for it, which a path of the goroutine does not give
// back, and no run shows who would.
func TestPlaceThatAPathDoesNotGiveBack(t *testing.T) {
	src := `package main

func do() {
	defer wg.Done()
	if fails() {
		return
	}
	<-slots
}
`
	one := "4294967297" // one of one
	p := told(t, src, `
main send slots=1/`+one+` a.go:20
main spawn do a.go:21
do start
do read bad=1 a.go:5 call a.go:5
do wgdone wg=-1 a.go:4:main.do
do end
main block slots a.go:20
blocked main send slots a.go:20
outcome deadlock "all goroutines are asleep"
`, "")
	expect(t, p, "`main` waits to send on `slots` (line 20), whose buffer of 1 is full; `do` returned (6) without receiving from `slots` (8).",
		"`do` must give back its place in `slots` (8) on that way, too.", 6, 20)
}

// A channel of a select that nobody used is called as the case calls it.
func TestChannelOfASelectOnly(t *testing.T) {
	src := `package main

func lock(m *mutex) {
	got := make(chan int)
	go take(m, got)
	select {
	case <-got:
	case <-m.quit:
	}
}
`
	p := told(t, src, `
main spawn lock a.go:20
lock start
heap c1 (made) a.go:4
lock selectcase c1=1/8589934592 a.go:6
lock selectcase m.quit=0/8589934592 a.go:6
lock block c1=0/17 a.go:6
blocked lock select c1 a.go:6
outcome leak "1 goroutine is blocked for ever"
`, "")
	if !strings.Contains(p.Sentence, "in a select on `m.quit` and `got`") && !strings.Contains(p.Sentence, "in a select on `got` and `m.quit`") {
		t.Error(p.Sentence)
	}
}

// A token that somebody took who has ended.
func TestTokenThatWasTaken(t *testing.T) {
	src := `package main

func take(m *mutex) {
	<-m.token
}
`
	p := told(t, src, `
main spawn take a.go:20
main spawn take#2 a.go:21
var m.token chan struct {}
main send m.token=1/4294967297 a.go:19
take start
take recv m.token=1/4294967296 a.go:4
take end
take#2 start
take#2 block m.token a.go:4
blocked take#2 recv m.token a.go:4
outcome leak "1 goroutine is blocked for ever"
`, "")
	if !strings.Contains(p.Sentence, "`take` received from `m.token` (4) and ended") {
		t.Error(p.Sentence)
	}
}
