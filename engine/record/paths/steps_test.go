package paths_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/record/paths"
)

// The operands of a loop's condition are told as they are evaluated, however the
// condition is written, and the loop does what it did.
func TestLoopConditions(t *testing.T) {
	dir := module(t, `package main

type flag bool

var text, stop, on, most = "ab c", byte('x'), flag(true), 3

func set() { text += ""; stop += 0; on = !on; on = !on; most += 0 }

func both() (n int) {
	for n < len(text) && text[n] != ' ' {
		n++
	}
	return n
}

func neither() (n int) {
	for i := 0; i < len(text) && !(text[i] == ' ' || text[i] == stop); i++ {
		n++
	}
	return n
}

func named() (n int) {
	for i := 0; on && flag(i < 10) && !(flag(n == most)); i++ {
		if i%2 == 0 {
			continue
		}
		n++
	}
	return n
}

func inner() (n int) {
outer:
	for i := 0; (i < most); i++ {
		for j := 0; j < 5 && j < most; j++ {
			if j == i {
				continue outer
			}
			n++
		}
	}
	return n
}

func main() {
	println(both(), neither(), named(), inner())
	done := make(chan bool)
	go func() { set(); close(done) }()
	<-done
}
`)
	r := build(t, dir, "main")
	rec := run(t, r, paths.Options{})
	if rec.Output != "2 2 3 3\n" || r.Loops() != 4 {
		t.Fatalf("%q, %d loops in bits", rec.Output, r.Loops())
	}
	told := map[string]string{}
	for _, x := range rec.Threads[0].Tokens {
		_, fn, _ := strings.Cut(r.Program.Sites[x/2].Func, "m.")
		told[fn] += fmt.Sprint(x % 2)
	}
	want := map[string]string{
		"both":    "11" + "11" + "10",
		"neither": "100" + "100" + "11",
		"named":   "10" + "10" + "10" + "10" + "10" + "10" + "11", // i is the goroutine's own
		"inner":   "1" + "1" + "1" + "11" + "1" + "111" + "0",
	}
	for fn, w := range want {
		if told[fn] != w {
			t.Errorf("%s told %s, want %s", fn, told[fn], w)
		}
	}
}
