package main

import (
	"fmt"
	"sync"
)

type topic struct {
	mu   sync.Mutex
	subs map[int]chan int
	done bool
}

func (t *topic) subscribe(id int) chan int {
	t.mu.Lock()
	defer t.mu.Unlock()
	ch := make(chan int)
	t.subs[id] = ch
	return ch
}

func (t *topic) publish(v int) {
	t.mu.Lock()
	list := make([]chan int, 0, len(t.subs))
	for id := 0; id < 3; id++ {
		if ch := t.subs[id]; ch != nil {
			list = append(list, ch)
		}
	}
	t.mu.Unlock()
	for _, ch := range list {
		ch <- v
	}
}

func (t *topic) leave(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ch := t.subs[id]; ch != nil {
		delete(t.subs, id)
		close(ch)
	}
}

func (t *topic) shut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done = true
	for id := 0; id < 3; id++ {
		if ch := t.subs[id]; ch != nil {
			close(ch)
		}
	}
	t.subs = nil
}

func main() {
	t := &topic{subs: map[int]chan int{}}
	var wg sync.WaitGroup
	for id := range 2 {
		ch := t.subscribe(id)
		wg.Go(func() {
			<-ch
			t.leave(id)
		})
	}
	wg.Go(func() { t.publish(1) })
	wg.Go(func() { t.subscribe(2) })
	wg.Go(func() { t.shut() })
	wg.Wait()
	fmt.Println("done")
}
