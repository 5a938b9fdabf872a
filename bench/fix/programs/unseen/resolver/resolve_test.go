package resolver

import (
	"context"
	"errors"
	"sync"
	"testing"
)

func TestResolveWhileCancelled(t *testing.T) {
	r := New("corp.example", Static{}, Static{"db.corp.example": "10.1.0.4"})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(cancel)
	addr, err := r.Resolve(ctx, "DB")
	wg.Wait()
	switch {
	case err == nil && addr != "10.1.0.4":
		t.Errorf("address %q", addr)
	case err != nil && !errors.Is(err, context.Canceled):
		t.Error(err)
	}
	if addr, err := r.Resolve(context.Background(), "db"); addr != "10.1.0.4" || err != nil {
		t.Errorf("not cancelled: %q, %v", addr, err)
	}
	if _, err := r.Resolve(context.Background(), "nope.example"); !errors.Is(err, ErrUnknown) {
		t.Errorf("a name that is unknown: %v", err)
	}
}
