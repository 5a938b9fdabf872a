package cachettl

import (
	"testing"
	"time"
)

func TestRenew(t *testing.T) {
	c := New(20 * time.Millisecond)
	c.Set("user", "ann")
	time.Sleep(20 * time.Millisecond)
	c.ttl = time.Hour
	c.Set("user", "ben")
	time.Sleep(20 * time.Millisecond)
	if _, ok := c.Get("user"); !ok {
		t.Error("entry is gone although it was renewed")
	}
}
