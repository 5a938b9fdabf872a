package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

// The end of a record of several targets says what all of it was.
func TestRecordedSum(t *testing.T) {
	rep := &engine.Recorded{Mode: "order", Targets: []*report.RecordedTarget{
		{Package: "m", Entry: "TestA", Runs: 20, Orders: 3}, {Package: "m", Entry: "TestB", Runs: 20, Failed: 2, Orders: 5}, {Package: "m", Entry: "TestC", Error: "no run ended"},
	}}
	for _, tc := range []struct {
		targets int
		want    string
	}{
		{3, "\n40 runs of 3 targets: 2 failed, in 1 target; 1 target with errors.\n"},
		{1, "m TestA: 20 runs, 3 orders, 0 failed"},
	} {
		rep.Targets = rep.Targets[:tc.targets]
		var out bytes.Buffer
		if err := printRecordings(&out, rep, false); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), tc.want) || strings.Contains(out.String(), "targets") != (tc.targets > 1) {
			t.Errorf("%s, want %q", out.String(), tc.want)
		}
	}
}
