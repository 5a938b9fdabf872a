package main

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

// TestScreenFixes: a finding without a verified fix says why in a line, and nothing where
// none was looked for.
func TestScreenFixes(t *testing.T) {
	const why = "no repair is known: no rule fits the steps of its cause"
	for _, test := range []struct {
		name string
		f    report.Finding
		want string
	}{
		{"not looked for", report.Finding{}, ""},
		{"none known", report.Finding{NoFix: why}, "    " + why + "\n"},
		{"none held", report.Finding{ID: "82359f87", NoFix: why, Fixes: []report.Fix{{Reason: "x"}}}, "    " + why + "\n    hocket fix -all 82359f87\n"},
		{"one holds", report.Finding{ID: "82359f87", Fixes: []report.Fix{{Title: "Hold mu", Verified: report.FixProved, Schedules: 3}}},
			"    fix: Hold mu (verified: proved, every schedule is covered; 3 runs were made)\n    hocket fix 82359f87   hocket fix -apply 82359f87\n"},
	} {
		var b strings.Builder
		screen{printer: &printer{w: &b}}.fixes(&test.f)
		if b.String() != test.want {
			t.Errorf("%s: got %q, want %q", test.name, b.String(), test.want)
		}
	}
}
