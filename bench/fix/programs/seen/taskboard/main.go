// Command taskboard runs tasks that can be cancelled while they run.
package main

import (
	"fmt"
	"os"
	"sync"
)

type state int

const (
	running state = iota
	finished
	cancelled
)

func (s state) String() string {
	return [...]string{"running", "finished", "cancelled"}[s]
}

// task is a piece of work on a board.
type task struct {
	id    int
	board *board

	sync.Mutex
	state  state
	result string
}

// board has the tasks that run.
type board struct {
	mu      sync.Mutex
	tasks   map[int]*task
	history []string
}

func newBoard() *board { return &board{tasks: map[int]*task{}} }

func (b *board) add(id int) *task {
	t := &task{id: id, board: b}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tasks[id] = t
	return t
}

// leave takes a task off the board.
func (b *board) leave(id int, how state) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tasks, id)
	b.history = append(b.history, fmt.Sprintf("%d %s", id, how))
}

// finish ends a task with its result; false if it was cancelled before.
func (t *task) finish(result string) bool {
	t.Lock()
	defer t.Unlock()
	if t.state != running {
		return false
	}
	t.state, t.result = finished, result
	t.board.leave(t.id, finished)
	return true
}

// cancelAll cancels the tasks that run, and returns how many.
func (b *board) cancelAll() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, t := range b.tasks {
		t.Lock()
		if t.state == running {
			t.state = cancelled
			n++
			b.history = append(b.history, fmt.Sprintf("%d %s", id, cancelled))
		}
		t.Unlock()
	}
	clear(b.tasks)
	return n
}

func main() {
	b := newBoard()
	work := b.add(7)
	var wg sync.WaitGroup
	done := false
	wg.Add(1)
	go func() {
		defer wg.Done()
		done = work.finish("42 rows")
	}()
	n := b.cancelAll()
	wg.Wait()

	ended := n
	if done {
		ended++
	}
	if ended != 1 || len(b.history) != 1 || len(b.tasks) != 0 {
		fmt.Fprintf(os.Stderr, "taskboard: ended %d times: %v\n", ended, b.history)
		os.Exit(1)
	}
	fmt.Println(b.history[0], work.result)
}
