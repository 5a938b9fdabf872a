package m

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

type shape interface{ area() int }

type square struct{ a int }

func (s square) area() int {
	if s.a > 3 { // open: one of them comes from a channel
		return s.a * s.a
	}
	return 0
}

type circle struct{ r int }

func (c *circle) area() int { return 3 * c.r * c.r }

var work = make(chan shape)

func pure(x int) int {
	for x > 10 { // own
		x /= 2
	}
	return x
}

func mixed(x int) int {
	if x > 2 { // open: called with a value from outside, too
		return 1
	}
	return 0
}

// twice calls what it is given.
func twice(f func(int) int) int { return f(1) + f(2) }

func handler(x int) int {
	if x == 1 { // open: whoever calls it
		return 1
	}
	return 0
}

var flag atomic.Int32

func main() {
	go func() { work <- square{2} }()
	s := <-work
	if s.area() > 1 { // open
		fmt.Println("large")
	}
	if pure(99) > 5 { // own
		mixed(3)
	}
	n, err := strconv.Atoi("7")
	if err != nil { // own: of a constant
		return
	}
	if n > 3 { // own
		n++
	}
	if mixed(len(os.Args)) == 1 { // own: the outcome in mixed tells
		n++
	}
	if time.Now().IsZero() { // open
		n++
	}
	if rand.IntN(3) == 1 { // open
		n++
	}
	if flag.Load() == 1 { // open
		n++
	}
	if twice(handler) > 1 { // open
		n++
	}
	m := map[int]int{1: 2}
	for k := range m {
		if k == 1 { // open: the order is drawn
			n++
		}
	}
	if m[1] == 2 { // own
		n++
	}
	func() {
		if n > 3 { // own: called where it is made
			n++
		}
	}()
	fmt.Println(n)
}

func least[T int | int8](x, y T) T {
	if x < y { // own
		return x
	}
	return y
}

func most[T int | int8](x, y T) T {
	if x > y { // open: called with what comes from a channel
		return x
	}
	return y
}

func generics(c chan int8) {
	if least(3, 4)+least[int](1, 2) > 5 { // own
		return
	}
	if most(3, <-c) > 4 { // open
		return
	}
}
