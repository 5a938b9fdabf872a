package main

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

func TestPrintTargets(t *testing.T) {
	for _, c := range []struct {
		status report.Status
		note   string
		want   string
	}{
		{report.Clean, "proved: all is covered", "m TestX: clean, proved: all is covered\n0 findings; 3 runs in 1 target.\n"},
		{report.Searched, "not proved: it waits", "m TestX: searched, not proved: it waits\n0 findings; 3 runs in 1 target.\n"},
		{report.Searched, "", "0 findings; 3 runs in 1 target.\n"},
		{report.Failing, "1 of 3 runs hangs", "m TestX: 1 of 3 runs hangs\n0 findings; 3 runs in 1 target.\n"},
	} {
		var out strings.Builder
		target := &report.Target{Package: "m", Entry: "TestX", Runs: 3, Status: c.status, Note: c.note}
		if err := printTargets(&out, &report.Report{Targets: []*report.Target{target}}); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%s, %q:\n%s\nwant\n%s", c.status, c.note, out.String(), c.want)
		}
	}
}
