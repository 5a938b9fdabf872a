package analysis

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOrders: bodies of main, with what orders their two goroutines or does
// not. A pair of the kind is expected exactly if there is no such order.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name, body string
		kind       Kind
		want       bool
	}{
		// again: one statement starts several goroutines.
		{"loop, shared", `n := 0; for range 3 { go func() { n++ }() }`, Race, true},
		{"loop, own", `for range 3 { n := 0; go func() { n++ }() }`, Race, false},
		{"loop, waits each round", `n := 0; for range 3 { d := make(chan int); go func() { n++; close(d) }(); <-d }`, Race, false},
		{"loop, waits once", `n := 0; var wg sync.WaitGroup; for range 3 { wg.Go(func() { n++ }) }; wg.Wait()`, Race, true},
		{"once, no loop", `n := 0; d := make(chan int); go func() { n++; close(d) }(); <-d; n++`, Race, false},
		// anyOf: which message was received.
		{"one sender", `n := 0; d := make(chan int); go func() { n++; d <- 1 }(); <-d; n++`, Race, false},
		{"one receive, many senders", `n := make([]int, 3); m := 0; d := make(chan int); for range 3 { go func() { mu.Lock(); m++; mu.Unlock(); d <- 1 }() }; <-d; m++; _ = n`, Race, true},
		{"all received", `m := 0; d := make(chan int); for range 3 { go func() { mu.Lock(); m++; mu.Unlock(); d <- 1 }() }; for range 3 { <-d }; mu.Lock(); mu.Unlock(); println(m)`, Race, false},
		{"other sender", `n := 0; d := make(chan int); go func() { n++; d <- 1 }(); go func() { d <- 2 }(); <-d; n++`, Race, true},
		// a select joins only in its case.
		{"select, in the case", `n := 0; d := make(chan int); go func() { n++; close(d) }(); select { case <-d: n++; case <-time.After(1): }`, Race, false},
		{"select, in the other", `n := 0; d := make(chan int); go func() { n++; close(d) }(); select { case <-d: case <-time.After(1): n++ }`, Race, true},
		{"select, after it", `n := 0; d := make(chan int); go func() { n++; close(d) }(); select { case <-d: default: }; n++`, Race, true},
		// made anew in each round.
		{"object of the round", `for range 3 { p := newBox(); go func() { println(p.n) }() }`, Race, false},
		{"object of before", `p := newBox(); for range 3 { p.set(); go func() { println(p.n) }() }`, Race, true},
		// blockedHolding: waits for another while it holds what that needs.
		{"send holding", `d := make(chan int); go func() { mu.Lock(); mu.Unlock(); <-d }(); mu.Lock(); d <- 1; mu.Unlock()`, Deadlock, true},
		{"send after", `d := make(chan int); go func() { mu.Lock(); mu.Unlock(); <-d }(); mu.Lock(); mu.Unlock(); d <- 1`, Deadlock, false},
		{"wait holding", `var wg sync.WaitGroup; wg.Add(1); go func() { mu.Lock(); mu.Unlock(); wg.Done() }(); mu.Lock(); wg.Wait(); mu.Unlock()`, Deadlock, true},
		{"answers first", `d := make(chan int); go func() { <-d; mu.Lock(); mu.Unlock() }(); mu.Lock(); d <- 1; mu.Unlock()`, Deadlock, false},
		{"may not wait", `d := make(chan int); go func() { mu.Lock(); mu.Unlock(); <-d }(); mu.Lock(); select { case d <- 1: default: }; mu.Unlock()`, Deadlock, false},
		{"cleanup", `p := newBox(); mu.Lock(); runtime.AddCleanup(p, func(int) { mu.Lock(); shared++; mu.Unlock() }, 1); mu.Unlock()`, Deadlock, false},
		{"called under the lock", `mu.Lock(); func() { mu.Lock(); shared++; mu.Unlock() }(); mu.Unlock()`, Deadlock, true},
		{"cleanup without the lock", `p := newBox(); runtime.AddCleanup(p, func(int) { shared++ }, 1); mu.Lock(); shared++; mu.Unlock()`, Race, true},
		{"deferred under the lock", `go func() { mu.Lock(); shared++; mu.Unlock() }(); func() { mu.Lock(); defer mu.Unlock(); defer func() { shared++ }() }()`, Race, false},
		{"deferred after the lock", `go func() { mu.Lock(); shared++; mu.Unlock() }(); func() { defer func() { shared++ }(); mu.Lock(); defer mu.Unlock() }()`, Race, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module example.com/orders\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "a.go"), "package main\n\nimport (\n\"runtime\"\n\"sync\"\n\"time\"\n)\n\nvar _ = time.Now\nvar _ = runtime.GC\nvar mu sync.Mutex\nvar shared int\n\ntype box struct{ n int }\n\n"+
				"func newBox() *box { b := &box{}; b.n = 1; return b }\n\nfunc (b *box) set() { b.n = 2 }\n\nfunc main() {\n"+strings.ReplaceAll(c.body, "; ", "\n")+"\n}\n")
			rep, err := Analyze(t.Context(), Source{Dir: dir}, filepath.Base)
			if err != nil || len(rep.Errors) > 0 {
				t.Fatal(err, rep.Errors)
			}
			if got := slices.ContainsFunc(rep.Pairs, func(p Pair) bool { return p.Kind == c.kind && p.Score >= enough }); got != c.want {
				t.Errorf("a pair of kind %s: %v, want %v\n%+v", c.kind, got, c.want, rep.Pairs)
			}
		})
	}
}
