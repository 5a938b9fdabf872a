package streamstop

import (
	"sync"
	"testing"
)

func TestBothSidesStop(t *testing.T) {
	s := Open()
	var wg sync.WaitGroup
	wg.Go(func() {
		if sum := s.read(); sum > 3 {
			t.Errorf("sum %d", sum)
		}
	})
	s.Send(3)
	s.Send(-1)
	s.Cancel()
	wg.Wait()
	if len(s.causes) != 1 {
		t.Errorf("%d causes", len(s.causes))
	}
}
