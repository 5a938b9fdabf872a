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
		if err := printFinding(&b, &report.Finding{ID: "12345678", Unkept: unkept}); err != nil {
			t.Fatal(err)
		}
		if offered := strings.Contains(b.String(), "hocket explain 12345678"); offered == unkept || !strings.HasSuffix(b.String(), "\n\n") {
			t.Errorf("unkept %v: %q", unkept, b.String())
		}
	}
}
