// A pipeline of goroutines with buffered channels.
package main

import "fmt"

func main() {
	a, b, c := make(chan int, 64), make(chan int, 64), make(chan int, 64)
	go func() {
		for i := range 3_000_000 {
			a <- i
		}
		close(a)
	}()
	go func() {
		for v := range a {
			b <- v * 3
		}
		close(b)
	}()
	go func() {
		for v := range b {
			c <- v + 1
		}
		close(c)
	}()
	s := 0
	for v := range c {
		s += v
	}
	fmt.Println(s)
}
