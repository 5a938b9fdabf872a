package core_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/core/coretest"
)

// largeProgram has what would take all memory, or never end, if it were read as deep as
// it goes.
const largeProgram = `package main

type ring []ring // may hold itself

type node struct {
	v    int
	next *node
}

type arena struct {
	name string
	buf  [1 << 24]byte
	used int
}

var (
	self  ring
	loop  []any
	tree  any
	cube  [][][]int
	fixed [100][100][100]int16
	list  *node
	space arena
	calls = make(chan [][]int, 2)
	rings = map[string]ring{}
	cubes = map[string][][][]int{}
	each  = map[string][]node{}
	zlast = 7
)

func grow(depth int) any {
	if depth == 0 {
		return depth
	}
	out := make([]any, 40)
	for i := range out {
		out[i] = grow(depth - 1)
	}
	return out
}

func solid(n int) [][][]int {
	out := make([][][]int, n)
	for i := range out {
		out[i] = make([][]int, n)
		for j := range out[i] {
			out[i][j] = make([]int, n)
		}
	}
	return out
}

//go:noinline
func down(r ring, c [][][]int, any []any) {
	if len(r) > 0 {
		panic("end")
	}
	println(len(c), len(any))
}

func main() {
	self = make(ring, 1)
	self[0] = self
	loop = make([]any, 1)
	loop[0] = loop
	tree = grow(4)
	cube = solid(150)
	for i := range 100_000 {
		list = &node{i, list}
	}
	space.name, space.used = "a", 3
	calls <- cube[0]
	rings["a"], cubes["a"], each["a"] = self, cube, make([]node, 3)
	fixed[1][2][1] = int16(zlast)
	down(self, cube, loop)
}
`

// Reading a program's variables takes little memory and ends, whatever they hold.
func TestBounds(t *testing.T) {
	bin := coretest.Build(t, largeProgram, "-gcflags=-N -l")
	file, _ := coretest.Crash(t, bin)
	c, err := core.Open(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	peak := watchHeap(t)
	values, _, err := c.Values(t.Context(), core.Roots{
		Package: func(p string) bool { return p == "main" }, Goroutine: 1,
		User: func(_, fn string) bool { return strings.HasPrefix(fn, "main.") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := peak(); got > mostMemory {
		t.Errorf("%d MB of heap for %d values", got>>20, len(values))
	}
	got := map[string]string{}
	for _, v := range values {
		if len(v.Path) > 1024 {
			t.Fatalf("a path of %d bytes: %.60s...", len(v.Path), v.Path)
		}
		got[v.Path] = v.Text
	}
	for path, want := range map[string]string{
		"main.zlast": "7", "main.space.used": "3", "main.space.name": `"a"`, "main.space.buf[1]": "0",
		"main.list": "&main.list", "len(main.self)": "1", "len(main.self[0])": "1", "main.loop[0]": "[]interface {}",
		"len(main.cube)": "150", "len(main.cube[149])": "150", "main.list.next.next.v": "99997", "len(main.calls)": "1",
		"main.fixed[1][2][1]": "7", `len(main.each["a"])`: "3", "len(main.rings)": "1", "len(main.down: r)": "1",
	} {
		if got[path] != want {
			t.Errorf("%s is %q, want %q", path, got[path], want)
		}
	}
}

// Several may read one core; a cancel is answered at once, and closing then waits for
// what still reads.
func TestShared(t *testing.T) {
	bin := coretest.Build(t, cacheProgram, "-gcflags=-N -l")
	file, _ := coretest.Crash(t, bin)
	c, err := core.Open(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	roots := core.Roots{Package: func(p string) bool { return true }, Goroutine: 1, User: func(string, string) bool { return true }}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, _, err := c.Values(t.Context(), roots); err != nil {
				t.Error(err)
			}
			if _, err := c.State(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, cancel)
	if _, _, err := c.Values(ctx, roots); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.Close()
}
