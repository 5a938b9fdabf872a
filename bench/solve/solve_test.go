package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/solve/gen"
)

func TestExponentOfAPowerLaw(t *testing.T) {
	for _, k := range []float64{0.5, 1, 1.7, 3} {
		var l line
		for _, n := range []float64{300, 1000, 3000} {
			l.points = append(l.points, point{n, 0.002 * math.Pow(n, k)})
		}
		if got, ok := l.exponent(); !ok || math.Abs(got-k) > 1e-9 {
			t.Errorf("%v, want %v", got, k)
		}
	}
	if _, ok := (line{points: []point{{300, 1}}}).exponent(); ok {
		t.Error("one size has an exponent")
	}
}

func measurement(solver string, n int, ms float64, status string) measured {
	return measured{job: job{Shape: gen.Shape{Kind: gen.Locks, Events: n}, Ordered: true, Solver: solver},
		Events: n, Cancel: -1, Goals: []asked{{Status: status, MS: ms}}}
}

func TestUndecidedSizesAreNotPlotted(t *testing.T) {
	all := []measured{measurement("a", 300, 1, "sat"), measurement("a", 1000, 10, "unknown"), measurement("b", 300, 2, "unsat")}
	lines := series(all)
	if len(lines) != 2 || len(lines[0].points) != 1 || lines[0].points[0].events != 300 {
		t.Errorf("%+v", lines)
	}
}

func TestThePlotIsXMLWithAllPoints(t *testing.T) {
	all := []measured{measurement("a", 300, 1, "sat"), measurement("a", 3000, 10, "sat"), measurement("b", 300, 2, "unsat")}
	svg := plot(all)
	circles := 0
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := tok.(xml.StartElement); ok && s.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 3 || !strings.Contains(string(svg), "a, order, n^1.00") {
		t.Errorf("%d points in\n%s", circles, svg)
	}
}

func TestBudgets(t *testing.T) {
	for _, c := range []struct {
		events  int
		ordered bool
		want    time.Duration
	}{{1000, true, 50 * time.Millisecond}, {1100, true, 50 * time.Millisecond}, {10_000, true, time.Second},
		{1000, false, time.Minute}, {10_000, false, 0}, {1_000_000, true, 0}} {
		if got := timeAllowed(c.events, c.ordered); got != c.want {
			t.Errorf("%d, %v: %v, want %v", c.events, c.ordered, got, c.want)
		}
	}
}

// TestOneSystemIsMeasured does what a child process does.
func TestOneSystemIsMeasured(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		m := measured{job: job{Shape: gen.Shape{Kind: gen.Locks, Events: 300}, Ordered: ordered,
			Solver: "repairsearch", Timeout: time.Minute, Memory: 1024}, Cancel: -1}
		m.run()
		if m.Error != "" || m.decided() == 0 {
			t.Errorf("%+v", m)
		}
		for _, a := range m.Goals {
			if a.Wrong != "" {
				t.Errorf("%s: %s", a.Name, a.Wrong)
			}
		}
	}
	m := measured{job: job{Shape: gen.Shape{Kind: gen.Locks, Events: 310_000}, Solver: "repairsearch", Timeout: time.Minute, Memory: 4096}}
	m.run()
	if !strings.Contains(m.Error, "300000") {
		t.Errorf("%q, want a refusal", m.Error)
	}
}
