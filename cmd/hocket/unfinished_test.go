package main

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

// The end of a search says of each target that is left what was tried and what it
// needs, and the exit code that something is left.
func TestWhatIsLeft(t *testing.T) {
	rep := &report.Report{Targets: []*report.Target{
		{Package: "m", Entry: "TestA", Status: report.CutShort, NeedsMS: 240_000,
			Searched: report.Spent{Attempts: 200, Planned: 1000, Earlier: 2000, TotalMS: 2100}},
		{Package: "m", Entry: "TestB", Status: report.NotReached, Note: "no run ended within the 1.0s that it was given"},
		{Package: "m", Entry: "TestC", Status: report.Searched, Searched: report.Spent{Attempts: 3000, TotalMS: 900}},
	}}
	var out strings.Builder
	if err := printTargets(&out, rep); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"m TestA: cut short after 2200 of 3000 schedules in 2.1s, the rest needs about 4 minutes\n",
		"m TestB: not reached\nm TestB: no run ended within the 1.0s that it was given\n",
		"Of 3 targets, 1 cut short and 1 not reached before the planned search was completed; the rest needs about 6 minutes. The next search goes on from here; -budget gives it more time.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	for status, want := range map[report.Status]int{report.CutShort: exitCut, report.NotReached: exitCut, report.Searched: exitNothing} {
		if got := exitCode(&report.Report{Targets: []*report.Target{{Status: status}, {Status: report.Clean}}}); got != want {
			t.Errorf("%s: exit code %d, want %d", status, got, want)
		}
	}
}
