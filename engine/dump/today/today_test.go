package today

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/dump"
)

const source = `package m

import "sync"

type table struct {
	mu sync.Mutex
	ch chan int
}

// New lines here moved what is below.

func (t *table) take() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.peek(
		1,
	)
}

func (t *table) peek(n int) int {
	select {
	case v := <-t.ch:
		return v
	case t.ch <- n:
	}
	for v := range t.ch {
		n += v
	}
	t.ch <- n
	return <-t.ch
}

func start(t *table) {
	go func() {
		t.take()
	}()
	t.take()
	t.take()
}
`

// TestCarry: a call is at the line that does today what it did then.
func TestCarry(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(fn string, line int) dump.Frame {
		return dump.Frame{Func: "example.com/m." + fn, File: "/ci/m/t.go", Line: line}
	}
	std := func(fn string) dump.Frame { return dump.Frame{Func: fn, File: "/go/src/sync/mutex.go", Line: 1} }
	for _, c := range []struct {
		name   string
		reason string
		frames []dump.Frame
		want   []int // lines of the user's calls; 0 is lost
	}{
		{"as it was", "sync.Mutex.Lock", []dump.Frame{std("sync.(*Mutex).Lock"), at("(*table).take", 13), at("start.func1", 35)}, []int{13, 35}},
		{"moved, and one call alone does that", "sync.Mutex.Lock", []dump.Frame{std("sync.(*Mutex).Lock"), at("(*table).take", 11), at("start.func1", 34)}, []int{13, 0}},
		{"a call over several lines", "select", []dump.Frame{at("(*table).peek", 21), at("(*table).take", 15)}, []int{21, 15}},
		{"a select elsewhere", "select", []dump.Frame{at("(*table).peek", 3)}, []int{21}},
		{"a send", "chan send", []dump.Frame{at("(*table).peek", 29)}, []int{29}},
		{"receives are several", "chan receive", []dump.Frame{at("(*table).peek", 4)}, []int{0}},
		{"a deferred call runs at the return", "sync.Mutex.Lock", []dump.Frame{std("sync.(*Mutex).Unlock"), at("(*table).take", 18)}, []int{18}},
		{"no such function", "select", []dump.Frame{at("(*table).gone", 21)}, []int{0}},
		{"another file", "select", []dump.Frame{{Func: "example.com/m.(*table).peek", File: "/ci/m/old.go", Line: 21}}, []int{21}},
		{"of type arguments", "select", []dump.Frame{at("(*table[...]).peek", 21)}, []int{21}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &dump.State{Goroutines: []dump.Goroutine{{Count: 1, Reason: c.reason, Frames: c.frames, Created: at("start", 34)}}}
			now, done := Carry(s, map[string]string{"example.com/m": dir})
			got := now.Goroutines[0]
			user := dump.User(got.Frames)
			if len(user) != len(c.want) {
				t.Fatalf("calls %v", user)
			}
			lost := 0
			for i, f := range user {
				if f.Line != c.want[i] {
					t.Errorf("%s is at line %d, want %d (%s)", f.Func, f.Line, c.want[i], strings.Join(done.Words, "; "))
				}
				if f.Line == 0 {
					lost++
				} else if f.File != filepath.Join(dir, "t.go") {
					t.Errorf("%s is in %s", f.Func, f.File)
				}
			}
			if got.Created.Line != 34 || done.Lost != lost {
				t.Errorf("created %v, %d lost, want %d", got.Created, done.Lost, lost)
			}
			if s.Goroutines[0].Frames[0] != c.frames[0] {
				t.Error("the state that was given has changed")
			}
		})
	}
}

// TestOthersStay: what is not of the given folders stays as it is, and nothing else is
// read.
func TestOthersStay(t *testing.T) {
	f := dump.Frame{Func: "example.com/other.run", File: "/etc/passwd", Line: 3}
	s := &dump.State{Kind: dump.DataRace, Race: &dump.Race{Accesses: [2]dump.Access{{Frames: []dump.Frame{f}}, {Frames: []dump.Frame{f}}}}}
	now, done := Carry(s, map[string]string{"example.com/m": t.TempDir()})
	if now.Race.Accesses[0].Frames[0] != f || done.Lost+done.Moved > 0 {
		t.Errorf("%+v %+v", now.Race, done)
	}
}
