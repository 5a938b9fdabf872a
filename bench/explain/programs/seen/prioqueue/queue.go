// Package prioqueue has jobs of two kinds, each with takers of its own.
package prioqueue

import "sync"

// Kind of a job.
type Kind int

const (
	Normal Kind = iota
	Urgent
)

// Queue may be used by several goroutines.
type Queue struct {
	mu   sync.Mutex
	more sync.Cond
	jobs map[Kind][]string
}

// New returns an empty queue.
func New() *Queue {
	q := &Queue{jobs: map[Kind][]string{}}
	q.more.L = &q.mu
	return q
}

// Push adds a job.
func (q *Queue) Push(k Kind, job string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs[k] = append(q.jobs[k], job)
	q.more.Signal()
}

func (q *Queue) empty(k Kind) bool { return len(q.jobs[k]) == 0 }

// Take waits for a job of kind k.
func (q *Queue) Take(k Kind) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.empty(k) {
		q.more.Wait()
	}
	job := q.jobs[k][0]
	q.jobs[k] = q.jobs[k][1:]
	return job
}
