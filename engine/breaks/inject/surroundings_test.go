package inject

// surroundings are programs whose code is in unusual places.
var surroundings = []buggy{
	{name: "vendored", hits: true, failure: "x_test.go:12: n = 1", sides: "inc inc", test: true, files: `
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit; go 1.26
example.com/dep
-- vendor/example.com/dep/dep.go --
package dep

var N int

func Inc() {
	n := N
	N = n + 1 //@inc
}
-- x_test.go --
package m_test

import (
	"sync"
	"testing"
	"example.com/dep"
)
func TestInc(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 { wg.Go(dep.Inc) }
	wg.Wait()
	if dep.N != 2 { t.Fatal("n =", dep.N) }
}
-- go.mod --
module example.com/m

go 1.26

require example.com/dep v1.0.0
`},
	{name: "line directives", hits: true, failure: "exit status 3", sides: "get set", files: `
-- main.go --
package main

import (
	"os"
	"sync"
)

//line grammar.y:100
var state int

func get() int { return state } //@get:return

func set(n int) {
	//line grammar.y:7:3
	state = n //@set
}

//line /somewhere/main.go:1
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
`},
	{name: "external test", hits: true, failure: "lost: 1", sides: "add add", cond: "t1.c == t2.c && t1.v == t2.v", test: true, files: `
-- c.go --
package m

type Counter struct{ n int }

func (c *Counter) Add() {
	v := c.n
	c.n = v + 1 //@add
}

func (c *Counter) N() int { return c.n }
-- inner_test.go --
package m

import "testing"

func TestInner(t *testing.T) { new(Counter).Add() }
-- outer_test.go --
package m_test

import (
	"sync"
	"testing"

	"example.com/m"
)

func TestAdd(t *testing.T) {
	c := &m.Counter{}
	var wg sync.WaitGroup
	wg.Go(c.Add)
	wg.Go(c.Add)
	wg.Wait()
	if c.N() != 2 {
		t.Errorf("lost: %d", c.N())
	}
}
`},
	{name: "several files", hits: true, failure: "exit status 3", sides: "get set", cond: "t1.b.n == 0 && t1.b == t2.b", files: `
-- main.go --
package main

import "sync"

func main() {
	b := &box{}
	var wg sync.WaitGroup
	wg.Go(func() { b.set() })
	wg.Go(func() { b.check() })
	wg.Wait()
}
-- box.go --
package main

type box struct{ n int }

func (b *box) set() {
	b.n = 1 //@set
}
-- check.go --
package main

import "os"

func (b *box) check() {
	n := b.n //@get
	if n == 0 {
		os.Exit(3)
	}
}
`},
	{name: "init", hits: true, failure: "exit status 3", sides: "get set", files: `
-- main.go --
package main

import (
	"os"
	"sync"
)

var state int

var early = func() int {
	var wg sync.WaitGroup
	wg.Go(func() {
		state = 1 //@set
	})
	got := 0
	wg.Go(func() {
		got = state //@get
	})
	wg.Wait()
	return got
}()

func init() {
	if early == 0 {
		os.Exit(3)
	}
}

func main() {}
`},
	{name: "init function", hits: true, failure: "exit status 3", sides: "get set", cond: "t1.got != nil", files: `
-- main.go --
package main

import (
	"os"
	"sync"
)

var state int

func init() {
	var wg sync.WaitGroup
	wg.Go(func() {
		state = 1 //@set
	})
	got := new(int)
	wg.Go(func() {
		*got = state //@get
	})
	wg.Wait()
	if *got == 0 {
		os.Exit(3)
	}
}

func main() {}
`},
	{name: "reads stdin", hits: true, failure: "exit status 3", sides: "get set", files: `
-- main.go --
package main

import (
	"bufio"
	"os"
	"sync"
)

func main() {
	state := 0
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		state++
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		state = 1 //@set
	})
	got := 0
	wg.Go(func() {
		got = state //@get
	})
	wg.Wait()
	if got == 0 {
		os.Exit(3)
	}
}
`},
	{name: "huge output", hits: true, failure: "panic: lost", sides: "get set", files: `
-- main.go --
package main

import (
	"os"
	"strings"
	"sync"
)

func main() {
	line := strings.Repeat("panic, FAIL and so on ", 50) + "\n"
	for range 10_000 {
		os.Stdout.WriteString(line)
	}
	state := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		state = 1 //@set
	})
	got := 0
	wg.Go(func() {
		got = state //@get
	})
	wg.Wait()
	if got == 0 {
		panic("lost")
	}
}
`},
	{name: "vendored condition", hits: true, failure: "panic: n = 1", sides: "inc inc", cond: "t1.c == t2.c && t1.n == 0", files: `
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit; go 1.26
example.com/dep
-- vendor/example.com/dep/dep.go --
package dep

type Counter struct{ N int }

func (c *Counter) Inc() {
	n := c.N
	c.N = n + 1 //@inc
}
-- main.go --
package main

import (
	"fmt"
	"sync"

	"example.com/dep"
)

func main() {
	c := &dep.Counter{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.Inc)
	}
	wg.Wait()
	if c.N != 2 {
		panic(fmt.Sprint("n = ", c.N))
	}
}
-- go.mod --
module example.com/m

go 1.26

require example.com/dep v1.0.0
`},
	{name: "cgo condition", hits: true, failure: "exit status 6", sides: "read write", cond: "t1.b == t2.b && t1.b.n == 0 && t2.v > 3", files: `
-- main.go --
package main

// typedef struct { int n; } box;
// static int twice(int n) { return 2 * n; }
import "C"

import (
	"os"
	"sync"
)

func main() {
	b := &C.box{}
	var wg sync.WaitGroup
	wg.Go(func() {
		v := C.twice(2)
		b.n = v //@write
	})
	got := C.int(0)
	wg.Go(func() {
		got = C.twice(b.n) //@read
	})
	wg.Wait()
	if got == 0 {
		os.Exit(6)
	}
}
`},
	{name: "ignores SIGQUIT", hits: true, failure: "hangs: it wrote no goroutines when asked", sides: "a b", files: `
-- main.go --
package main

import (
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func main() {
	signal.Ignore(syscall.SIGQUIT)
	x := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		x++ //@a
	})
	wg.Go(func() {
		x-- //@b
	})
	wg.Wait()
	time.Sleep(time.Hour)
}
`},
	{name: "guarded", hits: true, failure: "exit status 3", sides: "get set", cond: "t1.p != nil && t1.p.n == 0 && t2.q != nil && t2.q.on && t2.ok && t1.p.v == t2.q.v", files: `
-- main.go --
package main

import (
	"os"
	"sync"
)

type flag bool

type box struct {
	n, v int
	on   flag
}

func get(p *box) (n int) {
	defer func() { recover() }()
	n = p.n //@get
	return n
}

func set(q *box) (ok bool) {
	ok = true
	defer func() { ok = recover() == nil }()
	q.n = 1 //@set
	return ok
}

func main() {
	get(nil)
	set(nil)
	b := &box{v: 7, on: true}
	var wg sync.WaitGroup
	wg.Go(func() { set(b) })
	got := 0
	wg.Go(func() { got = get(b) })
	wg.Wait()
	if got == 0 {
		os.Exit(3)
	}
}
`},
}
