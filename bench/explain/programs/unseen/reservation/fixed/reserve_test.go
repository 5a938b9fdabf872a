package reservation

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestCancelledReservation(t *testing.T) {
	o := Open(3)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(time.Millisecond)
		cancel()
	})
	if _, err := o.Reserve(ctx); err == nil {
		o.Release()
	}
	wg.Wait()
	if n := o.Close(); n != 3 {
		t.Errorf("%d seats are lost", 3-n)
	}
}
