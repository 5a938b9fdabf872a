package exporter

import "testing"

func TestShutdownShipsAll(t *testing.T) {
	c := &Collector{}
	e := Start(c, 2)
	e.Export("cpu", 1.5)
	e.Export("mem", 64)
	e.Export("cpu", 2)
	lost := e.Shutdown()
	if lost != 0 {
		t.Errorf("%d points lost", lost)
	}
	if sum := c.Sum("cpu"); sum != 3.5 {
		t.Errorf("cpu %v, want 3.5", sum)
	}
	if sum := c.Sum("mem"); sum != 64 {
		t.Errorf("mem %v, want 64", sum)
	}
	if err := c.post(Point{"late", 1}); err == nil {
		t.Error("the collector was left open")
	}
}
