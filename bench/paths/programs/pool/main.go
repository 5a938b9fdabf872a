// Workers that take jobs from a queue with a condition variable.
package main

import (
	"fmt"
	"sync"
)

type job struct {
	id, cost int
	done     bool
}

type queue struct {
	mu     sync.Mutex
	cond   *sync.Cond
	jobs   []*job
	closed bool
	busy   int
}

func (q *queue) push(j *job) {
	q.mu.Lock()
	if len(q.jobs) == cap(q.jobs) && cap(q.jobs) > 1000 {
		q.jobs = append([]*job(nil), q.jobs...)
	}
	q.jobs = append(q.jobs, j)
	q.mu.Unlock()
	q.cond.Signal()
}

func (q *queue) pop() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 && !q.closed {
		q.cond.Wait()
	}
	if len(q.jobs) == 0 {
		return nil
	}
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	q.busy++
	return j
}

func (q *queue) finish(j *job, results map[int]int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	j.done = true
	if old, ok := results[j.id%100]; !ok || old < j.cost {
		results[j.id%100] = j.cost
	}
}

func collatz(n int) int {
	steps := 0
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

func main() {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	results := map[int]int{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := q.pop(); j != nil; j = q.pop() {
				j.cost = collatz(j.id + 1)
				q.finish(j, results)
			}
		}()
	}
	for i := range 400_000 {
		q.push(&job{id: i})
	}
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.cond.Broadcast()
	wg.Wait()
	fmt.Println(len(results))
}
