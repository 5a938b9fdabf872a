package fixes

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/repair"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
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

// TestEarly: an answer without an edit names the finding and what it is about, and why it
// ended.
func TestEarly(t *testing.T) {
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	a, err := early(late, "d34a15c3", "all goroutines are asleep", late.Err())
	if err != nil {
		t.Fatal(err)
	}
	if a.ID != "d34a15c3" || a.Message != "all goroutines are asleep" || a.Reason == "" || !a.Cut {
		t.Errorf("got %+v", a)
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

// TestWhyNone: an answer without a verified fix says in a line why.
func TestWhyNone(t *testing.T) {
	failed := report.Fix{Title: "Hold mu", Reason: "it still fails: x"}
	refused := store.Refused{Title: "Make line 3 atomic", Why: "it waits"}
	for _, test := range []struct {
		name   string
		answer Answer
		want   string
	}{
		{"verified", Answer{Fixes: []report.Fix{{Verified: report.FixProved}, failed}}, ""},
		{"out of time", Answer{Reason: "the time ended", Fixes: []report.Fix{failed}}, "no verified fix so far: the time ended"},
		{"none held", Answer{Fixes: []report.Fix{failed}, Refused: []store.Refused{refused}}, "no verified fix: Hold mu: it still fails: x; 1 other edit did not hold or was refused"},
		{"refused", Answer{Refused: []store.Refused{refused}}, "no repair is known: Make line 3 atomic: it waits"},
		{"none", Answer{}, "no repair is known: no rule fits the steps of its cause"},
	} {
		if got := test.answer.WhyNone(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestOutdone: a new lock where a fix takes one that is there is not worth a try.
func TestOutdone(t *testing.T) {
	w := &work{roots: site.Roots{Module: "/m"}}
	at := func(kind string, from, to int) *repair.Repair {
		return &repair.Repair{Kind: kind, Regions: []repair.Region{{File: "/m/a.go", From: from, To: to}}}
	}
	holds := &report.Fix{Kind: repair.ExtendLock, Verified: report.FixProved, Regions: []report.Region{{File: "a.go", From: 10, To: 20}}}
	not := *holds
	not.Verified = ""
	for _, test := range []struct {
		name string
		r    *repair.Repair
		by   *report.Fix
		want bool
	}{
		{"the same lines", at(repair.NewLock, 12, 22), holds, true},
		{"other lines", at(repair.NewLock, 21, 22), holds, false},
		{"the lock that is there", at(repair.ExtendLock, 12, 22), holds, false},
		{"by what does not hold", at(repair.NewLock, 12, 22), &not, false},
	} {
		if got := w.outdone(test.r, test.by); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
