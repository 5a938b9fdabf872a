package session

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

func TestBest(t *testing.T) {
	f := func(message string, level report.Level) *report.Finding {
		return &report.Finding{Message: message, Confirmed: level}
	}
	if got := best(nil); got != "" {
		t.Error(got)
	}
	if got := best([]*report.Finding{f("a", report.Controlled), f("b", report.Native), f("c", report.Native), f("d", report.Pinned)}); got != "b" {
		t.Errorf("%q is not the first native one", got)
	}
}
