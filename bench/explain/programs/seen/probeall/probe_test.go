package probeall

import "testing"

func TestProbe(t *testing.T) {
	up, err := All([]Target{{Name: "db"}, {Name: "cache", Down: true}})
	if err == nil {
		t.Errorf("up: %q", up)
	}
}
