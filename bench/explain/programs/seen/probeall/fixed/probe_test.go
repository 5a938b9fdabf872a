package probeall

import "testing"

func TestProbe(t *testing.T) {
	up, err := All([]Target{{Name: "cache", Down: true}, {Name: "db"}})
	if err == nil {
		t.Errorf("up: %q", up)
	}
}
