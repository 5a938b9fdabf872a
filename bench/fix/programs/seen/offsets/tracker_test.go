package offsets

import (
	"sync"
	"testing"
)

func TestCommitsInAnyOrder(t *testing.T) {
	tr := NewTracker("orders", 2)
	batches := []int64{9, 19}
	var wg sync.WaitGroup
	for _, end := range batches {
		wg.Go(func() {
			if err := tr.Commit(1, end); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := tr.Committed(1); got != 19 {
		t.Errorf("committed %d, want 19", got)
	}
	if got := tr.Committed(0); got != -1 {
		t.Errorf("the other partition is at %d", got)
	}
	if n := tr.Commits(); n != 2 {
		t.Errorf("%d commits", n)
	}
	if lag := tr.Lag([]int64{0, 25}); lag != 5 {
		t.Errorf("lag %d, want 5", lag)
	}
}
