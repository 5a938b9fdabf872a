package prioqueue

import (
	"sync"
	"testing"
)

func TestPriorities(t *testing.T) {
	q := New()
	var normal, urgent sync.WaitGroup
	urgent.Go(func() { q.Take(Urgent) })
	normal.Go(func() {
		if got := q.Take(Normal); got != "report" {
			t.Errorf("took %q", got)
		}
	})
	q.Push(Normal, "report")
	normal.Wait()
	q.Push(Urgent, "restart")
	urgent.Wait()
}
