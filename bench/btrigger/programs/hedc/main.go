// Command hedc is the part of a web meta-crawler that runs and cancels
// searches, after hedc: a task forgets its worker when it ends, without the lock
// that the canceller holds. A canceller that has seen the worker then finds none
// (DOSSIER: BTrigger hedc).
package main

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const tasks = 40

func main() {
	p := &pool{}
	var wg sync.WaitGroup
	for i := range tasks {
		t := &task{query: fmt.Sprintf("solar flare %d", i)}
		p.add(t)
		wg.Go(func() { t.run(p) })
		if i%8 == 7 {
			wg.Wait() // a batch at a time
			p.cancelAll()
		} else if i%8 == 3 {
			time.Sleep(2 * time.Millisecond) // waits no longer than that
			p.cancelAll()
		}
	}
	wg.Wait()
	fmt.Println("pages:", p.pages.Load())
}

// worker does one search and can be told to stop.
type worker struct{ stopped atomic.Bool }

func (w *worker) interrupt() { w.stopped.Store(true) }

// task is one search; worker is who does it at the moment.
type task struct {
	query  string
	mu     sync.Mutex
	worker atomic.Pointer[worker]
}

func (t *task) setWorker(w *worker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.worker.Store(w)
}

func (t *task) run(p *pool) {
	w := &worker{}
	t.setWorker(w)
	for page := range 30 {
		if w.stopped.Load() {
			break
		}
		if match(fetch(t.query, page), t.query) {
			p.pages.Add(1)
		}
	}
	t.worker.Store(nil) // l2: without the lock
}

func (t *task) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.worker.Load() != nil {
		w := t.worker.Load() // l1
		w.interrupt()
	}
}

type pool struct {
	tasks []*task // of main alone
	pages atomic.Int64
}

func (p *pool) add(t *task) { p.tasks = append(p.tasks, t) }

func (p *pool) cancelAll() {
	for _, t := range p.tasks {
		t.cancel()
	}
}

// fetch stands for a page from the network.
func fetch(query string, page int) string {
	return strings.Repeat(fmt.Sprintf("%s on page %d; ", query, page), 40)
}

func match(text, query string) bool {
	return strings.Count(strings.ToUpper(text), strings.ToUpper(query)) > 10
}
