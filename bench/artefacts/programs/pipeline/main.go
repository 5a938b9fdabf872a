package main

import (
	"errors"
	"fmt"
	"sync"
)

type stage struct {
	in, out chan int
	quit    chan struct{}
}

func (s *stage) parse(wg *sync.WaitGroup) {
	defer wg.Done()
	for v := range s.in {
		if v == 2 {
			close(s.quit)
			return
		}
		s.out <- v
	}
	close(s.out)
}

func store(in chan int, quit chan struct{}, rows *[]int, wg *sync.WaitGroup) {
	defer wg.Done()
	for {
		select {
		case v, ok := <-in:
			if !ok {
				return
			}
			*rows = append(*rows, v)
		case <-quit:
			return
		}
	}
}

func feed(in chan int, quit chan struct{}) error {
	for v := range 4 {
		select {
		case <-quit:
			return errors.New("stopped")
		default:
		}
		in <- v
	}
	close(in)
	return nil
}

func main() {
	s := &stage{in: make(chan int), out: make(chan int), quit: make(chan struct{})}
	var rows []int
	var wg sync.WaitGroup
	wg.Add(3)
	go s.parse(&wg)
	go s.parse(&wg)
	go store(s.out, s.quit, &rows, &wg)
	err := feed(s.in, s.quit)
	wg.Wait()
	fmt.Println(len(rows), err)
}
