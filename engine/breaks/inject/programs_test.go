package inject

// A buggy is a small module with a bug that needs two goroutines at two
// marked places.
type buggy struct {
	name, files string
	sides       string // marks, side 1 first
	cond        string
	order       []int
	test        bool
	env         []string
	hits        bool
	failure     string // part of the message; "" is that no run fails
	flags       []string
}

var programs = []buggy{
	{name: "race", hits: true, failure: "panic: runtime error: invalid memory address", sides: "clear use", cond: "t1.p == t2.p", files: `
-- main.go --
package main

import "time"

type pool struct{ conn *int }

func (p *pool) use() int {
	if p.conn != nil {
		return *p.conn //@use
	}
	return 0
}

func main() {
	x := 1
	p := &pool{&x}
	go func() {
		time.Sleep(time.Millisecond)
		p.conn = nil //@clear
	}()
	p.use()
	q := &pool{&x}
	q.use()
}
`},
	{name: "lostupdate", hits: true, failure: "n = 1", sides: "add add", cond: "t1.c == t2.c", test: true, files: `
-- c_test.go --
package m

import (
	"sync"
	"testing"
)

type counter struct{ n int }

func (c *counter) add(v int) {
	c.n = v + 1 //@add
}

func TestAdd(t *testing.T) {
	c := &counter{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { v := c.n; c.add(v) })
	}
	wg.Wait()
	if c.n != 2 {
		t.Errorf("n = %d", c.n)
	}
}
`},
	{name: "deadlock", hits: true, failure: "all goroutines are asleep", sides: "ab ba", files: `
-- main.go --
package main

import "sync"

var a, b sync.Mutex

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Lock()
		b.Lock() //@ab
		b.Unlock()
		a.Unlock()
	})
	wg.Go(func() {
		b.Lock()
		a.Lock() //@ba
		a.Unlock()
		b.Unlock()
	})
	wg.Wait()
}
`},
	{name: "hang", hits: true, failure: "hangs: sync.Mutex.Lock at main.go:", sides: "ab ba", files: `
-- main.go --
package main

import (
	"sync"
	"time"
)

var a, b sync.Mutex

func main() {
	go func() {
		for {
			time.Sleep(time.Hour)
		}
	}()
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Lock()
		b.Lock() //@ab
		b.Unlock()
		a.Unlock()
	})
	wg.Go(func() {
		b.Lock()
		a.Lock() //@ba
		a.Unlock()
		b.Unlock()
	})
	wg.Wait()
}
`},
	{name: "generic", hits: true, failure: "x_test.go:20: 2 puts, 1 there", sides: "put put", cond: "t1.l == t2.l", test: true, files: `
-- list.go --
package m

type List[T comparable] struct{ v []T }

func (l *List[T]) Put(x T) {
	v := append(l.v[:len(l.v):len(l.v)], x)
	l.v = v //@put
}
-- x_test.go --
package m_test

import (
	"sync"
	"testing"

	"example.com/m"
)

func TestPut(t *testing.T) {
	l := &m.List[string]{}
	var wg sync.WaitGroup
	for _, s := range []string{"a", "b"} {
		wg.Go(func() { l.Put(s) })
	}
	wg.Wait()
	other := &m.List[int]{}
	other.Put(1)
	if n := m.Len(l); n != 2 {
		t.Errorf("2 puts, %d there", n)
	}
}
-- len.go --
package m

func Len[T comparable](l *List[T]) int { return len(l.v) }
`},
	{name: "inlined", hits: true, failure: "exit status 3", sides: "get set", order: []int{1, 2}, files: inlined},
	{name: "inlined other order", hits: true, failure: "", sides: "get set", order: []int{2, 1}, files: inlined},
	{name: "recursion", hits: true, failure: "exit status 4", sides: "down write", cond: "t1.n == 0 && t1.p == t2.p", files: `
-- main.go --
package main

import (
	"os"
	"sync"
)

func down(p *int, n int) int {
	v := *p //@down
	if n == 0 {
		return v
	}
	return down(p, n-1)
}

func write(p *int) {
	*p = 1 //@write
}

func main() {
	x := new(int)
	var wg sync.WaitGroup
	wg.Go(func() { write(x) })
	got := 0
	wg.Go(func() { got = down(x, 5) })
	wg.Wait()
	if got == 0 {
		os.Exit(4)
	}
}
`},
	{name: "one side", hits: false, sides: "a b", files: `
-- main.go --
package main

func f(n int) int {
	if n > 5 {
		return n //@b
	}
	return -n //@a
}

func main() {
	done := make(chan bool)
	for i := range 5 {
		go func() { f(i); done <- true }()
	}
	for range 5 {
		<-done
	}
}
`},
	{name: "same goroutine", hits: false, sides: "a b", files: `
-- main.go --
package main

func main() {
	x := 1
	x++ //@a
	x += 2 //@b
	println(x)
}
`},
	{name: "fault", hits: false, sides: "a b", cond: "t1.p.n == 3", files: `
-- main.go --
package main

type p struct{ n int }

func f(p *p) {
	_ = p //@a
}

func main() {
	f(nil)
	f(nil) //@b
}
`},
	{name: "range", hits: true, failure: "exit status 5", sides: "recv stop", cond: "t1.ch == t2.c", order: []int{2, 1}, files: `
-- main.go --
package main

import (
	"os"
	"sync"
)

func main() {
	stopped := false
	ch := make(chan int, 3)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range ch { //@recv
			if stopped {
				os.Exit(5)
			}
		}
	})
	ch <- 1
	c := ch
	wg.Go(func() {
		stopped = true //@stop
		_ = c
		ch <- 2
		close(ch)
	})
	wg.Wait()
}
`},
	{name: "with -race", hits: true, failure: "DATA RACE: main.go:", sides: "a b", flags: []string{"-race"}, files: `
-- main.go --
package main

import "sync"

func main() {
	x := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1 //@a
	})
	wg.Go(func() {
		x = 2 //@b
	})
	wg.Wait()
	println(x)
}
`},
	{name: "cgo", hits: true, failure: "exit status 6", sides: "read write", files: `
-- main.go --
package main

// static int twice(int n) { return 2 * n; }
import "C"

import (
	"os"
	"sync"
)

var state C.int

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		state = C.twice(2) //@write
	})
	got := C.int(0)
	wg.Go(func() {
		got = C.twice(state) //@read
	})
	wg.Wait()
	if got == 0 {
		os.Exit(6)
	}
}
`},
}

// inlined has both sides in functions that the compiler inlines.
const inlined = `
-- main.go --
package main

import (
	"os"
	"sync"
)

var state int

func get() int { return state } //@get:return

func set(n int) { state = n } //@set:state

func main() {
	var wg sync.WaitGroup
	wg.Go(func() { set(1) })
	got := 0
	wg.Go(func() { got = get() })
	wg.Wait()
	if got == 0 {
		os.Exit(3)
	}
}
`
