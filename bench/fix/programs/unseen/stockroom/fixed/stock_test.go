package stockroom

import (
	"errors"
	"sync"
	"testing"
)

func TestReserveWhileRestocked(t *testing.T) {
	r := NewRoom(map[string]int{"mug": 1})
	var wg sync.WaitGroup
	var err error
	wg.Go(func() { err = r.Reserve("ann", "mug", 3) })
	wg.Go(func() { r.Restock("mug", 4) })
	wg.Wait()

	want, left := 2, 3
	if err != nil {
		if !errors.Is(err, ErrShort) {
			t.Error(err)
		}
		want, left = 5, 0
	}
	if n := r.Stock("mug"); n != want {
		t.Errorf("stock %d, want %d (%v)", n, want, err)
	}
	if n := r.Cancel("ann", "mug"); n != left {
		t.Errorf("ann had %d, want %d", n, left)
	}
	if err := r.Reserve("bob", "cup", 1); !errors.Is(err, ErrUnknown) {
		t.Errorf("an article that is unknown: %v", err)
	}
}
