package search_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
)

// A search that stops for a failure which then does not come again goes on to its
// end, with the attempts that came back meanwhile.
func TestAFailureThatIsGone(t *testing.T) {
	for range 200 {
		var runs atomic.Int64
		strategy, err := search.Make("auto", search.Config{Predict: true})
		if err != nil {
			t.Fatal(err)
		}
		c := search.New(sim.New(func(t *sim.Thread) {
			if runs.Add(1)%10 == 0 {
				t.Panic("once in a while")
			}
		}), search.Options{Schedules: 300, Strategy: strategy})
		for range 3 {
			c.Step(context.Background(), search.Slice{Attempts: 200}, nil)
			c.Verified(context.Background())
		}
		if !c.Done() {
			t.Fatal("the search does not end")
		}
	}
}
