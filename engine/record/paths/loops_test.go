package paths_test

import (
	"slices"
	"testing"

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
