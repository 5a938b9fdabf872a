package main

import (
	"math"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/bench/papers"
	"github.com/hocket-dev/hocket/engine/report"
)

// TestPapers: each line has its program, and the lines give the means that the papers
// state: Symbiosis §5.3.1, Cortex §6.4.
func TestPapers(t *testing.T) {
	all, err := papers.Programs(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	var ev, df sum
	for _, p := range symbiosis {
		used[p.program] = true
		ev.add(part{p.events, p.inDSP})
		df.add(part{p.flows, p.flowsDSP})
	}
	mean(t, "Symbiosis, events", ev, 90)
	mean(t, "Symbiosis, data flows", df, 96)
	ev, df = sum{}, sum{}
	for _, p := range cortex {
		used[p.program] = true
		ev.add(part{p.events, p.inDPSP})
		df.add(part{p.flows, p.flowsDPSP})
	}
	mean(t, "Cortex, events", ev, 50)
	mean(t, "Cortex, data flows", df, 83)
	for _, p := range all {
		if !used[p.Name] {
			t.Errorf("%s is in neither table", p.Name)
		}
		delete(used, p.Name)
	}
	if len(used) > 0 {
		t.Errorf("no programs: %v", used)
	}
}

func mean(t *testing.T, what string, s sum, want float64) {
	t.Helper()
	if got := s.percent / float64(s.n); math.Abs(got-want) > 1 {
		t.Errorf("%s: %.1f%% less, the paper says %v%%", what, got, want)
	}
}

func TestPrint(t *testing.T) {
	f := &report.Finding{
		Projection: report.Projection{Events: 3, Reordered: 2, EventsFull: 50, Dataflows: 1, DataflowsFull: 10},
		RootCause:  make([]report.Access, 4), ExplainedMS: 1500,
		Cause:    &report.Cause{Orders: make([]report.Order, 2), Compared: 20, Made: 70, Runs: 30},
		Schedule: report.Shape{Found: 12, Switches: 3, Solves: 6},
	}
	var b strings.Builder
	printSymbiosis(&b, map[string]*report.Finding{"account": f, "crasher": nil})
	for _, want := range []string{"5 of 50, -90%", "1 of 10, -90%", "| 31 of 124, -75%", "2 of 20", "70, 30", "12, 3", "1.5", "not found", "(programs: 1): 90% of the events (paper 75%)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
