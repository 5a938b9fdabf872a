package main

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

// Commands are offered for findings that they know only.
func TestCommandsOfAFinding(t *testing.T) {
	for _, unkept := range []bool{false, true} {
		var b strings.Builder
		screen{printer: &printer{w: &b}}.finding(&report.Finding{ID: "12345678", Unkept: unkept})
		if offered := strings.Contains(b.String(), "hocket explain 12345678"); offered == unkept || !strings.HasSuffix(b.String(), "\n\n") {
			t.Errorf("unkept %v: %q", unkept, b.String())
		}
	}
}
