package paths_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

// TestLoopInBits: a loop that panics has told its way until there, and what is recorded
// afterwards comes after it; a goroutine is of the function that its program has.
func TestLoopInBits(t *testing.T) {
	dir := module(t, `package main

import "sync"

var mu sync.Mutex
var limit, cut = 100, 3

func set() { mu.Lock(); limit += 0; cut += 0; mu.Unlock() }

func main() {
	n := 0
	for n < limit {
		n++
	}
	done := make(chan int)
	go func() {
		defer func() {
			recover()
			if cut == 4 {
				n++
			}
			done <- n
		}()
		var xs [200]int
		for i := 0; i < limit*3; i++ {
			xs[i]++
			if i%2 == cut {
				n++
			}
		}
	}()
	set()
	println(<-done)
}
`)
	r := build(t, dir, "main")
	rec := run(t, r, paths.Options{})
	if rec.Outcome != tracedb.Passed || rec.Output != "100\n" || r.Loops() != 2 {
		t.Fatalf("%s %q, %d loops in bits", rec.Outcome, rec.Output, r.Loops())
	}
	var want []uint64 // twice the branch, from 0, and the outcome
	for range 200 {
		want = append(want, 2*1+1, 2*2)
	}
	want = append(want, 2*1+1, 2*3)
	if len(rec.Threads) != 2 || len(rec.Threads[0].Tokens) != 101 || !slices.Equal(rec.Threads[1].Tokens, want) {
		t.Errorf("recorded %v", rec.Threads)
	}
	if site := rec.Threads[1].Site; site != "main.main.func1" {
		t.Errorf("the goroutine is of %s", site)
	}
}

// What comes before a receive that lasts for ever is told; a package may have names of its
// own for what the recorder writes.
func TestLoopThatWaits(t *testing.T) {
	dir := module(t, `package main

import "os"

var shared = 3

var ch = make(chan int, 4)

func set() { shared++; shared-- }

func count(bool []int) (n int) {
	for _, x := range bool {
		if x < shared {
			n++
		}
	}
	return n
}

func wait() {
	for i := 0; shared > 0; i++ {
		if <-ch == 5 {
			return
		}
	}
}

func main() {
	go set()
	if count([]int{1, 2, 3}) != 2 {
		os.Exit(3)
	}
	ch <- 1
	ch <- 2
	wait()
}
`)
	r := build(t, dir, "main")
	rec := run(t, r, paths.Options{Timeout: 20 * time.Second})
	if rec.Outcome != paths.Failed || rec.Exit != 2 {
		t.Fatalf("%s, exit %d: %s", rec.Outcome, rec.Exit, rec.Output)
	}
	told := map[string]int{}
	for _, x := range rec.Threads[0].Tokens {
		_, fn, _ := strings.Cut(r.Program.Sites[x/2].Func, "m.")
		told[fn]++
	}
	if told["wait"] != 5 { // three turns, two receives
		t.Errorf("told of branches by function: %v", told)
	}
}
