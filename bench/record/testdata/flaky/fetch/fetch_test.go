package fetch

import (
	"context"
	"math/rand"
	"sync"
	"testing"
	"time"
)

func TestCountsAreEven(t *testing.T) {
	var c Client
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 4 {
				// Most servers answer soon, or never.
				n := rand.Intn(60)
				c.Get(time.Millisecond, func(ctx context.Context) int {
					switch n {
					case 0:
						time.Sleep(time.Millisecond - 60*time.Microsecond)
					case 1, 2:
						<-ctx.Done()
					}
					return n
				})
			}
		})
	}
	wg.Wait()
	if c.Least() < 0 {
		t.Error("more has ended than had begun")
	}
}
