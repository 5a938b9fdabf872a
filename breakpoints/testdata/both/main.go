// Command both has the two copies of package breakpoints in one process: the
// imported one, and the one that Hocket injects. Its argument says what it does.
package main

import (
	"fmt"
	hocketpoints "hocketpoints"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
)

var byHand = breakpoints.New("by hand", breakpoints.Timeout(10*time.Second))

func main() {
	switch os.Args[1] {
	case "both":
		both()
	case "kill":
		meet()
		fmt.Println("met")
		side(1) // nobody comes
	case "exit":
		meet()
		os.Exit(3)
	case "panic":
		meet()
		panic("the end")
	case "deadlock":
		for range 100_000 {
			side(1) // hot, so that its gate is closed when all come to rest
		}
		<-make(chan int)
	case "race":
		race()
	case "clean":
		clean()
	case "crowd":
		crowd()
	}
}

func side(n int) {
	if hocketpoints.Ready(1, n) {
		hocketpoints.Side(1, n, nil)
	}
}

func meet() {
	var wg sync.WaitGroup
	wg.Go(func() { side(1); hocketpoints.Did(1, 1) })
	wg.Go(func() { side(2); hocketpoints.Did(1, 2) })
	wg.Wait()
}

func both() {
	defer breakpoints.Enable()()
	var wg sync.WaitGroup
	for n := 1; n <= 2; n++ {
		wg.Go(func() {
			fmt.Println(byHand.Here(n))
			side(n)
		})
	}
	wg.Wait()
}

var shared, guarded int

// race is one: the breakpoint must neither hide it nor be part of it.
func race() {
	var wg sync.WaitGroup
	for n := 1; n <= 2; n++ {
		wg.Go(func() {
			side(n)
			shared++
			hocketpoints.Did(1, n)
		})
	}
	wg.Wait()
}

// crowd has 64 races at breakpoint 2, with deep stacks, garbage collections,
// and predicates that panic or end their goroutine.
func crowd() {
	var all [64]int
	var wg sync.WaitGroup
	for i := range all {
		for n := 1; n <= 2; n++ {
			wg.Go(func() {
				deep(3*i, func() {
					if hocketpoints.Ready(2, n) {
						hocketpoints.Side(2, n, func() (bool, []any) { return mayEnd(i, n), []any{&all[i], n, 0} })
					}
					all[i] = n
					if i%2 == 0 {
						hocketpoints.Did(2, n)
					}
				})
			})
		}
	}
	wg.Go(func() { runtime.GC(); time.Sleep(time.Millisecond); runtime.GC() })
	wg.Wait()
	fmt.Println("end")
}

func mayEnd(i, n int) bool {
	switch {
	case i == 13:
		panic(i)
	case i == 14 && n == 1:
		runtime.Goexit()
	}
	return true
}

//go:noinline
func deep(n int, f func()) {
	var room [64]int
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
	_ = room
}

// clean has no race, and breakpoints of all kinds under way.
func clean() {
	defer breakpoints.Enable()()
	joint := breakpoints.Race("joint", breakpoints.Timeout(time.Millisecond), breakpoints.When(func(v [][]any) bool {
		return v[0][0] == v[1][0] && v[0][1].(string) < v[1][1].(string) && v[0][2].(int) < v[1][2].(int)
	}))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 200 {
				n, text := i%2+1, fmt.Sprint("text ", j)
				hocketpoints.Side(2, n, func() (bool, []any) { return j%3 > 0, []any{&guarded, i*1000 + j, text} })
				joint.Here(n, &guarded, text, i*1000+j)
				mu.Lock()
				guarded++
				mu.Unlock()
				hocketpoints.Did(2, n)
				joint.Did(n)
				if j%50 == 0 {
					breakpoints.Stats()
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(breakpoints.Stats()["joint"].Hit > 0)
}
