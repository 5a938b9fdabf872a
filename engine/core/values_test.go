package core_test

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/core/coretest"
)

const cacheProgram = `package main

import "sync"

type entry struct {
	key  string
	size uint64
	next *entry
}

type named interface{ name() string }

func (e *entry) name() string { return e.key }

type cache struct {
	mu    sync.Mutex
	byKey map[string]*entry
	queue []*entry
	size  uint64
	free  chan *entry
	last  named
	any   any
	pairs map[[2]int]bool
	grid  [2][2]int8
	fn    func()
	done  bool
	share float64
}

var one = &cache{byKey: map[string]*entry{}, free: make(chan *entry, 3)}

func fill(c *cache, n int) {
	for i := range n {
		e := &entry{key: "k" + string(rune('a'+i)), size: uint64(i)}
		c.byKey[e.key] = e
		c.queue = append(c.queue, e)
		c.size += e.size
	}
	c.queue[0].next = c.queue[1]
	c.queue[1].next = c.queue[0]
	c.free <- c.queue[2]
	<-c.free
	c.free <- c.queue[1]
	c.last, c.any = c.queue[2], 42
	c.grid[1][0], c.share, c.fn = -3, 0.5, stop
	c.mu.Lock()
}

func stop() {}

//go:noinline
func check(c *cache, limit uint64) {
	if c.size > limit {
		panic("too large")
	}
}

func main() {
	fill(one, 4)
	check(one, 5)
}
`

func TestValues(t *testing.T) {
	bin := coretest.Build(t, cacheProgram, "-gcflags=-N -l")
	file, _ := coretest.Crash(t, bin)
	c, err := core.Open(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	values, _, err := c.Values(t.Context(), core.Roots{
		Package: func(p string) bool { return p == "main" }, Goroutine: 1,
		User: func(_, fn string) bool { return strings.HasPrefix(fn, "main.") },
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range values {
		got[v.Path] = v.Text
	}
	want := map[string]string{
		"main.one": "&main.one", "main.one.size": "6", "main.one.mu.mu.state": "1", "main.one.mu.mu.sema": "0",
		"len(main.one.byKey)": "4", "len(main.one.queue)": "4", "main.one.done": "false", "main.one.share": "0.5",
		"main.one.fn": "main.stop", "len(main.one.free)": "1", "closed(main.one.free)": "false",
		"main.one.free<0>": `&main.one.byKey["kb"]`, "main.one.queue[1]": `&main.one.byKey["kb"]`,
		`main.one.byKey["ka"].next`: `&main.one.byKey["kb"]`, `main.one.byKey["kb"].next`: `&main.one.byKey["ka"]`,
		`main.one.byKey["kd"].next`: "nil", `main.one.byKey["kd"].size`: "3", `main.one.byKey["kd"].key`: `"kd"`,
		"main.one.any": "int", "main.one.any.(int)": "42", "main.one.last": "*main.entry",
		"main.one.last.(*main.entry)": `&main.one.byKey["kc"]`, "main.one.grid[1][0]": "-3", "main.one.grid[0][1]": "0",
		"len(main.one.pairs)": "0", "main.check: limit": "5", "main.check: c": "&main.one",
	}
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s is %q, want %q", path, got[path], text)
		}
	}
	if len(got) != len(values) {
		t.Errorf("%d paths of %d values: some are there twice", len(got), len(values))
	}
}
