package fixes

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
)

// TestShortfall: an edit whose check was cut off was not tried.
func TestShortfall(t *testing.T) {
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		cut  string // the reason of an edit whose check was cut off
		want string
	}{
		{"all tried", context.Background(), "", ""},
		{"interrupted", interrupted, "it was interrupted before it was verified", "interrupted: 1 of 3 edits were tried to the end"},
		{"out of time", late, "the time ended before it was verified", "the time ended: 1 of 3 edits were tried to the end; -budget gives more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := []report.Fix{{Reason: "it does not compile: x"}}
			if test.cut != "" {
				all = append(all, report.Fix{Reason: test.cut})
			}
			if got := shortfall(test.ctx, all, 3); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestRank: what is tested before its test, and of these what leaves no known bug.
func TestRank(t *testing.T) {
	fix := func(name, file, verified string, tells ...string) report.Fix {
		return report.Fix{Title: name, Verified: verified, Tells: tells, Edits: []report.FixEdit{{File: file}}}
	}
	stays := "another finding of this test stays: x"
	all := []report.Fix{
		fix("rejected", "a.go", ""),
		fix("the test", "a_test.go", report.FixProved),
		fix("part of it", "a.go", report.FixProved, stays),
		fix("all of it", "a.go", report.FixSearched),
	}
	slices.SortStableFunc(all, func(a, b report.Fix) int { return rank(&a) - rank(&b) })
	var got []string
	for _, f := range all {
		got = append(got, f.Title)
	}
	if want := []string{"all of it", "part of it", "the test", "rejected"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
