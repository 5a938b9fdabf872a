package verify

import (
	"context"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// edited is a check of an edit that inserts two lines before line 10 of a.go, and
// replaces line 20.
func edited(signature string, known ...string) *check {
	v := &Verifier{Request: Request{Signature: signature, Known: known}, base: &search.Outcome{Schedules: 40}}
	return &check{Verifier: v, fix: &report.Fix{}, hunks: map[string][]hunk{"/m/a.go": {{10, 10, 10, 12}, {20, 21, 22, 23}}}}
}

func signature(kind trace.OutcomeKind, message, places string) run.Signature {
	return run.Signature{Kind: kind, Message: message, Places: places}
}

// TestStays: what the program did without the edit, too, is a bug of its own, unless it is
// what the finding's check says in other words, or a race at a line of its cause. Goroutines
// that wait for ever are not made by a race.
func TestStays(t *testing.T) {
	race := func(line string) run.Signature { return signature(trace.Raced, "", "m.f (a.go:"+line+")") }
	check := func(text, line string) run.Signature {
		return signature(trace.TestFailed, text, "m.TestF (a_test.go:"+line+")")
	}
	for _, c := range []struct {
		name          string
		kind          trace.OutcomeKind
		before, after run.Signature
		want          bool
	}{
		{"a race at the cause", trace.Panicked, race("15"), race("17"), false},
		{"a race at the cause of a deadlock", trace.Deadlocked, race("15"), race("17"), true},
		{"a race at the cause of a leak", trace.Leaked, race("15"), race("17"), true},
		{"a race elsewhere", trace.Panicked, race("30"), race("32"), true},
		{"a race that the edit makes", trace.Panicked, race("30"), race("33"), false},
		{"another check", trace.TestFailed, check("names", "8"), check("names", "8"), true},
		{"the same check", trace.TestFailed, check("one free", "7"), check("one free", "7"), false},
		{"another check that did not fail", trace.TestFailed, check("names", "8"), check("seats", "9"), false},
	} {
		k := edited("own")
		k.Finding = &report.Finding{Kind: string(c.kind), Failure: report.Place{File: "a_test.go", Line: 7}, RootCause: []report.Access{{File: "a.go", Line: 15}}}
		k.faulted.Do(func() { k.faults = []run.Signature{c.before} })
		out := &search.Outcome{Status: search.Failing, Schedules: 300, Findings: []search.Finding{{Signature: c.after}}}
		if err := k.notice(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		why, err := k.judge(out)
		if got := why == "" && k.verdict == report.FixSearched && Stays(k.fix); err != nil || got != c.want {
			t.Errorf("%s: stays %t, %q, %v", c.name, got, why, err)
		}
		if c.want && k.foundAfter(&search.Outcome{Findings: []search.Finding{{Signature: c.before}}}) != 0 {
			t.Errorf("%s: what stays counts as found", c.name)
		}
	}
}

// TestMoved: places are where the edit carried them.
func TestMoved(t *testing.T) {
	c := edited("")
	for was, want := range map[string]string{
		"panic: x at m.f (a.go:9)":                         "panic: x at m.f (a.go:9)",
		"panic: x at m.f (a.go:10)":                        "panic: x at m.f (a.go:12)",
		"panic: x at m.f (b.go:10)":                        "panic: x at m.f (b.go:10)",
		"panic: x at m.f (a.go:20)":                        "panic: x at m.f (a.go:?)",
		"data-race:  at m.f (a.go:8); m.g.func1 (a.go:11)": "data-race:  at m.f (a.go:8); m.g.func1 (a.go:13)",
	} {
		if got := c.moved(was); got != want {
			t.Errorf("%s: got %s, want %s", was, got, want)
		}
	}
	// Places are sorted as texts: 9 comes after 12.
	if !sameSignature(c.moved("data-race:  at m.f (a.go:10); m.f (a.go:9)"), "data-race:  at m.f (a.go:12); m.f (a.go:9)") {
		t.Error("two orders of places are one signature")
	}
}

// TestJudge: what a search of the fix says of it.
func TestJudge(t *testing.T) {
	own := signature(trace.Panicked, "own", "m.f (a.go:15)")
	moved := signature(trace.Panicked, "own", "m.f (a.go:17)")
	other := signature(trace.Panicked, "other", "m.f (a.go:16)")
	otherMoved := signature(trace.Panicked, "other", "m.f (a.go:18)")
	found := func(s ...run.Signature) (list []search.Finding) {
		for _, s := range s {
			list = append(list, search.Finding{Signature: s})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		out     search.Outcome
		verdict string // if it is not rejected
		why     string // part of it
	}{
		{"nothing", search.Outcome{Status: search.Searched, Schedules: 300}, report.FixSearched, ""},
		{"a proof", search.Outcome{Status: search.Clean, Schedules: 7}, report.FixProved, ""},
		{"the failure, further down", search.Outcome{Status: search.Failing, Findings: found(moved)}, "", "it still fails"},
		{"another failure", search.Outcome{Status: search.Failing, Findings: found(signature(trace.Deadlocked, "", "m.f (a.go:12)"))}, "", "it fails in another way: a deadlock at m.f (a.go:12)"},
		{"a known one, further down", search.Outcome{Status: search.Failing, Findings: found(otherMoved), Schedules: 300}, report.FixSearched, ""},
		{"a known one and a new one", search.Outcome{Status: search.Failing, Findings: found(otherMoved, signature(trace.Raced, "", "m.g (a.go:3)"))}, "", "a data race at m.g (a.go:3)"},
		{"at the lines of a known one, but not it", search.Outcome{Status: search.Failing, Findings: found(other)}, "", "another way"},
		{"all schedules", search.Outcome{Status: search.FailsAlways, Reason: "30 of 30"}, "", "in every schedule: 30 of 30"},
		{"cut short", search.Outcome{Status: search.CutShort}, "", "the time ended"},
		{"no end", search.Outcome{Status: search.Searched, Schedules: 300, Limits: 30}, "", "30 of 300 schedules came to no end"},
		{"a slow machine", search.Outcome{Status: search.Searched, Schedules: 300, Hangs: 1}, report.FixSearched, ""},
		{"left behind", search.Outcome{Status: search.Searched, Schedules: 300, AlwaysLeaks: []string{"m.g (a.go:30)"}}, "", "every run leaves a goroutine behind at m.g (a.go:30)"},
	} {
		k := edited(own.String(), other.String())
		why, err := k.judge(&c.out)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.why == "" && (why != "" || k.verdict != c.verdict) || c.why != "" && !strings.Contains(why, c.why) {
			t.Errorf("%s: %q, verdict %q", c.name, why, k.verdict)
		}
		if k.fix.Verified != "" {
			t.Errorf("%s: verified by one search", c.name)
		}
	}
}

// TestLeftBehind: goroutines that every run leaves behind are the fix's fault unless
// every run left them before, and the finding is not about them. The edit moved them.
func TestLeftBehind(t *testing.T) {
	leak := "leak:  at m.f (a.go:15); m.h (b.go:3)"
	for _, c := range []struct {
		name, signature string
		known, before   []string
		after           string
		fault           bool
	}{
		{"as before, further down", "panic: x at m.g (a.go:3)", nil, []string{"m.f (a.go:15)"}, "m.f (a.go:17)", false},
		{"what the finding is about, further down", leak, nil, []string{"m.f (a.go:15)"}, "m.f (a.go:17)", true},
		{"what the finding is about, where it was", leak, nil, []string{"m.h (b.go:3)"}, "m.h (b.go:3)", true},
		{"new beside an old one", "panic: x at m.g (a.go:3)", nil, []string{"m.f (a.go:15)"}, "m.f (a.go:40)", true},
		{"at a replaced line", leak, nil, []string{"m.f (a.go:20)"}, "m.f (a.go:22)", true},
		{"another finding's", "panic: x at m.g (a.go:3)", []string{leak}, nil, "m.f (a.go:17)", false},
	} {
		k := edited(c.signature, c.known...)
		k.always = c.before
		why := k.leftBehind(&search.Outcome{AlwaysLeaks: []string{c.after}})
		if (why != "") != c.fault {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}

// TestFoundAfter: only the finding's failure, or one that nobody knew, shows that a search
// finds what it should.
func TestFoundAfter(t *testing.T) {
	own := signature(trace.Panicked, "own", "m.f (a.go:15)")
	known := signature(trace.Panicked, "other", "m.f (a.go:16)")
	leak := "leak:  at m.f (a.go:15)"
	at := func(s run.Signature, n int) search.Finding { return search.Finding{Signature: s, Attempt: n} }
	for _, c := range []struct {
		name, signature string
		out             search.Outcome
		want            int
	}{
		{"nothing", own.String(), search.Outcome{}, 0},
		{"found", own.String(), search.Outcome{Findings: []search.Finding{at(own, 4)}}, 5},
		{"a known one first", own.String(), search.Outcome{Findings: []search.Finding{at(known, 0), at(own, 8)}}, 9},
		{"a known one only", own.String(), search.Outcome{Findings: []search.Finding{at(known, 0)}}, 0},
		{"another form", own.String(), search.Outcome{Findings: []search.Finding{at(signature(trace.Raced, "", "m.f (a.go:1)"), 2)}}, 3},
		{"left behind by every run", leak, search.Outcome{AlwaysLeaks: []string{"m.f (a.go:15)"}}, 1},
		{"something else left behind by every run", own.String(), search.Outcome{AlwaysLeaks: []string{"m.f (a.go:99)"}}, 0},
	} {
		k := edited(c.signature, known.String())
		if got := k.foundAfter(&c.out); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// TestVerifiedOnlyAtTheEnd: an edit whose time ends between the rules is not verified,
// whatever its searches said.
func TestVerifiedOnlyAtTheEnd(t *testing.T) {
	k := edited("")
	ctx, end := context.WithCancel(t.Context())
	err := k.rules(ctx, []rule{
		func(context.Context) (string, error) {
			return k.judge(&search.Outcome{Status: search.Searched, Schedules: 300})
		},
		func(ctx context.Context) (string, error) { end(); return "", ctx.Err() },
	})
	if err == nil || k.fix.Verified != "" {
		t.Errorf("%v, verified %q", err, k.fix.Verified)
	}
	if err := k.rules(t.Context(), nil); err != nil || k.fix.Verified != report.FixSearched {
		t.Errorf("all rules: %v, verified %q", err, k.fix.Verified)
	}
}

// TestAtOnce: the first that rejects ends the others, and without the time for all there
// is no verdict.
func TestAtOnce(t *testing.T) {
	yes := func(context.Context) (string, error) { return "", nil }
	no := func(context.Context) (string, error) { return "no", nil }
	waits := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	if why, err := atOnce(yes, no, waits)(t.Context()); why != "no" || err != nil {
		t.Errorf("%q, %v", why, err)
	}
	if why, err := atOnce(yes, inTurn(yes, yes))(t.Context()); why != "" || err != nil {
		t.Errorf("%q, %v", why, err)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if why, err := atOnce(yes, waits)(ctx); why != "" || err == nil {
		t.Errorf("%q, %v", why, err)
	}
	if why, err := inTurn(yes, no, waits)(t.Context()); why != "no" || err != nil {
		t.Errorf("%q, %v", why, err)
	}
}

// TestJudgePlayed: what the order of the finding does on the ordinary build of the fix.
// An order without places is not said to have been played.
func TestJudgePlayed(t *testing.T) {
	for _, c := range []struct {
		name     string
		rep      native.Report
		rejected bool
		says     string
	}{
		{"fails", native.Report{Runs: 6, Played: 6, Failed: 1}, true, "it still fails in 1 of 6 runs"},
		{"fails by itself", native.Report{Runs: 20, Plain: true, Failed: 3}, true, "it still fails in 3 of 20 runs of the ordinary build"},
		{"another failure", native.Report{Runs: 6, Played: 6, Other: 6, OtherPlayed: 6, OtherOutput: "panic: send on closed channel\n"}, true, "in another way in 6 of 6 runs of the ordinary build with the order of the finding: panic: send on closed channel"},
		{"points in the way", native.Report{Runs: 6, Other: 2}, false, "in 6 runs of the ordinary build with the fix the failing order could not be brought about"},
		{"a lock in the way", native.Report{Runs: 6, Stuck: 6, Broken: "f could not go on"}, false, "the failing order could not be brought about: f could not go on"},
		{"no places", native.Report{Runs: 6, Played: 6, Plan: &native.Plan{Dropped: []string{"s3", "s4"}}}, false, "its order can't be played on the ordinary build of the fix, which has no places for it; without it none of 6 runs failed"},
		{"few places", native.Report{Runs: 6, Played: 6, Plan: &native.Plan{Waits: 1, Dropped: []string{"s3"}}}, false, "of its order, what has places in the text with the fix was played in 6 of 6 runs"},
		{"passes", native.Report{Runs: 6, Played: 5, Plan: &native.Plan{Waits: 1}}, false, "its order was played in 5 of 6 runs of the ordinary build, none failed"},
	} {
		k := edited("")
		why := k.judgePlayed(&c.rep)
		if said := why + k.fix.Order; (why != "") != c.rejected || !strings.Contains(said, c.says) {
			t.Errorf("%s: %q", c.name, said)
		}
	}
}

// TestSoFar: an edit whose check was cut off says how far it came, and still counts as
// unfinished.
func TestSoFar(t *testing.T) {
	for _, test := range []struct {
		name string
		c    check
		want string
	}{
		{"before the search", check{fix: &report.Fix{}}, ""},
		{"in it", check{fix: &report.Fix{Schedules: 20}, planned: 300}, ": 20 of 300 schedules were searched"},
		{"after it", check{fix: &report.Fix{Schedules: 300}, planned: 300, verdict: report.FixSearched}, ": 300 schedules showed no new failure, the checks after that were not all made"},
	} {
		got := test.c.soFar()
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		if !Unfinished(&report.Fix{Reason: outOfTime + got}) {
			t.Errorf("%s: it counts as finished", test.name)
		}
	}
}
