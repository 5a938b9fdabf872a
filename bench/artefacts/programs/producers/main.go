package main

import (
	"fmt"
	"sync"
)

type feed struct {
	mu   sync.Mutex
	rows chan string
	left int
	over bool
}

func (f *feed) finish() {
	f.mu.Lock()
	f.left--
	last := f.left <= 1
	f.mu.Unlock()
	if last {
		f.end()
	}
}

func (f *feed) end() {
	if !f.over {
		f.over = true
		close(f.rows)
	}
}

func (f *feed) disk() {
	f.rows <- "disk"
	f.finish()
}

func (f *feed) net() {
	for _, s := range []string{"net 1", "net 2"} {
		f.rows <- s
	}
	f.finish()
}

func (f *feed) clock() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left > 2 {
		f.rows <- "clock"
	}
}

func main() {
	f := &feed{rows: make(chan string), left: 3}
	go f.disk()
	go f.net()
	go f.clock()
	go f.finish()
	n := 0
	for range f.rows {
		n++
	}
	fmt.Println(n)
	f.mu.Lock()
	f.mu.Unlock()
}
