package usagemeter

import (
	"sync"
	"testing"
)

func TestMeterWhileInUse(t *testing.T) {
	m := NewMeter(map[string]int{"free": 3})
	var wg sync.WaitGroup
	wg.Go(func() {
		if !m.Use("acme", 5) {
			t.Error("acme was limited")
		}
		if m.Use("free", 4) {
			t.Error("free used more than it may")
		}
	})
	wg.Go(func() {
		if n := m.Total(); n != 0 && n != 5 {
			t.Errorf("total %d meanwhile", n)
		}
	})
	wg.Wait()
	if n := m.Total(); n != 5 {
		t.Errorf("total %d, want 5", n)
	}
	r := m.Cut()
	if r.Serial != 1 || len(r.Lines) != 1 || r.Lines[0] != (Line{"acme", 5}) {
		t.Errorf("report %+v", r)
	}
}
