package webhooks

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestDeliveredTwice(t *testing.T) {
	var booked, fresh atomic.Int64
	in := NewInbox(map[string]Handler{
		"charge": func(e Event) error {
			if e.Amount <= 0 {
				return errors.New("no amount")
			}
			booked.Add(int64(e.Amount))
			return nil
		},
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			first, err := in.Deliver(Event{"evt_1", "charge", 250})
			if err != nil {
				t.Error(err)
			}
			if first {
				fresh.Add(1)
			}
		})
	}
	wg.Wait()
	if n := booked.Load(); n != 250 {
		t.Errorf("booked %d, want 250", n)
	}
	if n := fresh.Load(); n != 1 {
		t.Errorf("%d deliveries were the first", n)
	}

	// After an error the event is handled again.
	if _, err := in.Deliver(Event{"evt_2", "charge", 0}); err == nil {
		t.Error("booked nothing without an error")
	}
	if first, err := in.Deliver(Event{"evt_2", "charge", 5}); !first || err != nil || booked.Load() != 255 {
		t.Errorf("delivered again: %v, %v", first, err)
	}
	if n := in.Forget(-time.Hour); n != 2 {
		t.Errorf("forgot %d events, want 2", n)
	}
}
