package budget_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hocket-dev/hocket/engine/solve/budget"
)

func TestStepsEndABudget(t *testing.T) {
	b := budget.New(context.Background(), 3)
	for i := range 3 {
		if !b.Spend(1) || b.Err() != nil || b.Spent() || b.Used() != int64(i+1) || b.Why() != "" {
			t.Fatalf("after %d steps: %v, spent %v, used %d", i+1, b.Err(), b.Spent(), b.Used())
		}
	}
	if !b.Spend(0) {
		t.Error("asking takes a step")
	}
	if b.Spend(1) || b.Spend(0) || !errors.Is(b.Err(), budget.ErrSpent) || !b.Spent() || b.Used() != 3 || b.Why() != "too many steps" {
		t.Errorf("%v, spent %v, used %d; want all spent", b.Err(), b.Spent(), b.Used())
	}
	if b.Context().Err() != nil {
		t.Error("the steps end the context")
	}
	if c := budget.New(context.Background(), 3); c.Spend(4) || c.Used() != 0 || !c.Spent() {
		t.Errorf("4 of 3 steps: used %d, spent %v", c.Used(), c.Spent())
	}
}

func TestContextEndsABudget(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := budget.New(ctx, 3)
	other := b.With(context.Background())
	cancel()
	if b.Spend(1) || !errors.Is(b.Err(), context.Canceled) || b.Spent() || b.Used() != 0 || b.Why() != "cancelled" {
		t.Errorf("%v, spent %v, used %d; want cancelled", b.Err(), b.Spent(), b.Used())
	}
	if !other.Spend(2) || b.Used() != 2 {
		t.Errorf("with another context: used %d", b.Used())
	}
	late, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	if b := budget.Unlimited(late); b.Spend(1) || b.Why() != "time is up" {
		t.Errorf("after its deadline: %q", b.Why())
	}
}

func TestStepsAreShared(t *testing.T) {
	b := budget.New(context.Background(), 1000)
	var got atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if b.Spend(1) {
					got.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if got.Load() > 1000 || !b.Spent() || b.Used() != got.Load() {
		t.Errorf("%d of 1000 steps taken, %d used, spent %v", got.Load(), b.Used(), b.Spent())
	}
}
