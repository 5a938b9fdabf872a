// Command symbols prints addresses of things whose names the test knows.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type cell struct {
	mu   sync.Mutex
	n    int32
	done atomic.Bool
	list [4]pair
	name string
}

type pair struct {
	key  uint8
	next *pair
}

type cache[K comparable] struct{ size K }

var (
	global cell
	count  int64
	flag   bool
	shared = map[string]int{}
)

func pcs(skip int) []uint64 {
	var buf [32]uintptr
	n := runtime.Callers(skip, buf[:])
	out := make([]uint64, n)
	for i, pc := range buf[:n] {
		out[i] = uint64(pc - runtime.HocketText())
	}
	return out
}

func inlined() []uint64 { return pcs(2) }

//go:noinline
func (c *cell) run() []uint64 { return inlined() }

func typeOf(v any) uint64 {
	return uint64((*[2]uintptr)(unsafe.Pointer(&v))[0] - runtime.HocketText())
}

func rel(p unsafe.Pointer) uint64 { return uint64(uintptr(p) - runtime.HocketText()) }

//go:noinline
func worker(n int, c chan int) { c <- n }

func (c *cell) loop(d time.Duration) { global.n++ }

func show(what string, nums ...uint64) {
	fmt.Print(what)
	for _, n := range nums {
		fmt.Printf(" %d", n)
	}
	fmt.Println()
}

//go:noinline
func escapes() *int {
	local := 7
	return &local
}

func main() {
	show("pcs", global.run()...)
	show("cell", typeOf(cell{}))
	show("int32", typeOf(int32(1)))
	show("cache", typeOf(cache[string]{}))
	show("global", rel(unsafe.Pointer(&global)))
	show("count", rel(unsafe.Pointer(&count)))
	show("flag", rel(unsafe.Pointer(&flag)))
	c := make(chan int, 3)
	go worker(1, c)
	go (&global).loop(time.Second)
	show("out", uint64(<-c), uint64(*escapes()), uint64(len(shared)))
	for _, name := range []string{"main.main.gowrap1", "main.main.gowrap2", "main.worker"} {
		show(name, uint64(runtime.HocketEntry(name)-runtime.HocketText()))
	}
}
