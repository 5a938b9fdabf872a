package sessiontable

import (
	"sync"
	"testing"
)

func TestSameSession(t *testing.T) {
	table := &Table{}
	table.For("root")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { table.For("ann") })
	}
	wg.Wait()
	if n := table.Hits("ann"); n != 2 {
		t.Errorf("%d hits in the session, want 2", n)
	}
}
