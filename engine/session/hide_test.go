package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
)

// Of many time-dependent findings those that say most are reported; the others, and
// all if none is to be shown, are withheld with the reason. Other findings stay.
func TestTimeDependentAreLimited(t *testing.T) {
	rep := func() *report.Report {
		r := &report.Report{}
		add := func(d *report.TimeDependent, native int) {
			entry := fmt.Sprintf("Test%d", len(r.Findings))
			r.Targets = append(r.Targets, &report.Target{Package: "p", Entry: entry, Status: report.Failing})
			f := &report.Finding{Package: "p", Entry: entry, TimeDependent: d}
			if native > 0 {
				f.Native = &report.Count{Runs: 100, Failed: native}
			}
			r.Findings = append(r.Findings, f)
		}
		add(&report.TimeDependent{Timer: "a_test.go:1", DelayMS: 1}, 0)
		add(nil, 0)
		add(&report.TimeDependent{Timer: "a_test.go:2", DelayMS: 3}, 100)
		add(&report.TimeDependent{Timer: "a.go:3", DelayMS: 9}, 0)
		return r
	}
	for but, want := range map[int][]string{0: {"Test1"}, 1: {"Test1", "Test3"}, 2: {"Test1", "Test2", "Test3"}, 3: {"Test0", "Test1", "Test2", "Test3"}} {
		r := rep()
		before := slices.Clone(r.Targets)
		hideTimeDependent(r, but)
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Entry)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d shown: %v, want %v", but, got, want)
		}
		for i, target := range r.Targets {
			shown := slices.Contains(want, target.Entry)
			if shown != (target.Status == report.Failing) || shown != (len(target.Withheld) == 0) {
				t.Errorf("%d shown: %+v", but, target)
			}
			for _, w := range target.Withheld {
				if !strings.Contains(w.Why, "time-dependent") {
					t.Error(w.Why)
				}
			}
			if before[i].Status != report.Failing || before[i].Withheld != nil {
				t.Errorf("%d shown: the session's own target was changed: %+v", but, before[i])
			}
		}
	}
}
