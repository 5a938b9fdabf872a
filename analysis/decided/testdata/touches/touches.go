package m

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

var table = []int{1, 2, 3}

var count int

type parser struct {
	s  string
	at int
}

// skip touches nothing that is shared: parsers are made and used by one goroutine.
func (p *parser) skip() {
	for p.at < len(p.s) && p.s[p.at] == ' ' {
		p.at++
	}
}

// parse touches nothing either.
func parse(s string) map[string]int {
	p := &parser{s: s}
	out := map[string]int{}
	for p.at < len(p.s) {
		p.skip()
		out[strings.ToUpper(p.s[:p.at])] = p.at
		p.at++
	}
	return out
}

// collatz touches nothing.
func collatz(n int) (steps int) {
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

// lookup touches nothing: nobody writes the table.
func lookup(n int) int { return table[n%3] }

// order touches nothing; what is sorted is its own.
func order(n int) []string {
	xs := []string{fmt.Sprint(n), "b"}
	sort.Strings(xs)
	return xs
}

func bump() { count++ }

func indirect(n int) int {
	if n > 3 {
		bump()
	}
	return n
}

func locked(mu *sync.Mutex) {
	mu.Lock()
	mu.Unlock()
}

func clock() bool { return time.Now().IsZero() }

func give(f func()) { f() }

func fill(xs []int) {
	for i := range xs {
		xs[i] = collatz(i + 1)
	}
}

func main() {
	var mu sync.Mutex
	in := make(chan string)
	xs := make([]int, 4)
	go func() {
		fill(xs)
		locked(&mu)
		in <- "a b"
	}()
	for k := range parse(<-in) {
		fmt.Println(k, lookup(len(k)), order(3), indirect(4), clock())
	}
	give(bump)
}
