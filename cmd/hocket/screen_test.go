package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
)

// shown is what a screen prints.
func shown(verbose bool, rep *report.Report) string {
	var b strings.Builder
	s := screen{printer: &printer{w: &b}, verbose: verbose, resumes: true}
	s.targets(rep)
	return b.String()
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		status report.Status
		note   string
		want   string
	}{
		{report.Clean, "proved: all is covered", "TestX: clean, proved: all is covered\n0 findings; 3 runs in 1 target: 1 clean.\n"},
		{report.Searched, "not proved: it waits", "TestX: searched, not proved: it waits\n0 findings; 3 runs in 1 target: 1 searched.\n"},
		{report.Searched, "", "0 findings; 3 runs in 1 target: 1 searched.\n"},
		{report.Failing, "1 of 3 runs hangs", "TestX: 1 of 3 runs hangs\n0 findings; 3 runs in 1 target: 1 failing.\n"},
	} {
		target := &report.Target{Package: "m", Entry: "TestX", Runs: 3, Status: c.status, Note: c.note}
		if got := shown(false, &report.Report{Targets: []*report.Target{target}}); got != c.want {
			t.Errorf("%s, %q:\n%s\nwant\n%s", c.status, c.note, got, c.want)
		}
	}
}

// A recorded failure that is no finding: only what was seen is said of controlled runs.
func TestUnexplained(t *testing.T) {
	always := report.Withheld{Kind: "test-failure", Message: "got 3"}
	other := report.Withheld{Kind: "panic", Message: "boom"}
	for _, c := range []struct {
		name   string
		target report.Target
		want   string
	}{
		{"other", report.Target{Runs: 3, Status: report.Searched, Withheld: []report.Withheld{other}}, "no controlled run failed in this way: the cause is not known"},
		{"withheld", report.Target{Runs: 3, Status: report.Searched, Withheld: []report.Withheld{other, always}}, "controlled runs failed in this way, but it is not reported: -v says why"},
		{"always", report.Target{Runs: 3, Status: report.FailsAlways}, ""},
		{"no run", report.Target{}, "no controlled run was made: the cause is not known"},
	} {
		rep := &report.Report{Recorded: &report.Recording{Failure: "a_test.go:3: got 7"}, Targets: []*report.Target{&c.target}}
		if got := unexplained(rep); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The end of a search says of each target that is left what was tried and what it
// needs, and the exit code that something is left.
func TestWhatIsLeft(t *testing.T) {
	rep := &report.Report{Targets: []*report.Target{
		{Package: "m", Entry: "TestA", Status: report.CutShort, NeedsMS: 240_000, Note: "2 of 9 runs hang",
			Searched: report.Spent{Attempts: 200, Planned: 1000, Earlier: 2000, TotalMS: 2100}},
		{Package: "m", Entry: "TestB", Status: report.NotReached, Note: "no run ended within the 1.0s that it was given"},
		{Package: "m", Entry: "TestC", Status: report.Searched, Searched: report.Spent{Attempts: 3000, TotalMS: 900}},
		{Package: "m/gone", Status: report.Error, Error: "gone.go:3:8: no such package"},
	}}
	const want = `gone: error: gone.go:3:8: no such package
TestA: cut short after 2200 of 3000 schedules in 2.1s, the rest needs about 4 minutes: 2 of 9 runs hang
not reached: TestB: no run ended within the 1.0s that it was given
0 findings; 0 runs in 3 targets: 1 cut short, 1 not reached, 1 searched.
1 package could not be loaded.
The planned search of 2 targets is not complete; the rest needs about 6 minutes. The next search goes on from here; -budget 8m gives it the time.
`
	if got := shown(false, rep); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for status, want := range map[report.Status]int{report.CutShort: exitCut, report.NotReached: exitCut, report.Searched: exitNothing} {
		if got := exitCode(&report.Report{Targets: []*report.Target{{Status: status}, {Status: report.Clean}}}); got != want {
			t.Errorf("%s: exit code %d, want %d", status, got, want)
		}
	}
}

// big is a report of a module with 14 packages, of which two are unfinished.
func big() *report.Report {
	rep := &report.Report{}
	add := func(pkg string, n int, status report.Status, needs int64) {
		for range n {
			rep.Targets = append(rep.Targets, &report.Target{Package: pkg, Entry: fmt.Sprintf("Test%02d", len(rep.Targets)), Status: status,
				NeedsMS: needs * int64(len(rep.Targets)), Searched: report.Spent{Attempts: 1, TotalMS: 10}})
		}
	}
	for i := range 12 {
		add(fmt.Sprintf("m/p%02d", i), 2, report.Searched, 0)
	}
	add("m/a", 40, report.CutShort, 1000)
	add("m/b", 30, report.NotReached, 0)
	rep.Targets[len(rep.Targets)-1].Status = report.Failing
	return rep
}

// A whole module takes a screen: the table, ten lines about what needs most, and the
// sums, in which each target counts once.
func TestABigModuleTakesAScreen(t *testing.T) {
	got := shown(false, big())
	if n := strings.Count(got, "\n"); n > 30 {
		t.Errorf("%d lines:\n%s", n, got)
	}
	for _, want := range []string{
		"                  failing  cut short  not reached  searched\nm/a                     -         40            -         -\nm/b                     1          -           29         -\nm/p00                   -          -            -         2\n",
		"\n3 other packages        -          -            -         6\n",
		"\na Test63: cut short after 1 schedule in 0.0s, the rest needs about 63 seconds\na Test62: ",
		"\n... and 31 lines like these; -v shows all.\n",
		"0 findings; 0 runs in 94 targets: 1 failing, 40 cut short, 29 not reached, 24 searched.\n",
		"The planned search of 69 targets is not complete; the rest needs about 42 minutes. ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	all := shown(true, big())
	for _, name := range []string{"m/p11  ", "\na Test24: cut short", "\nb Test92: not reached\n"} {
		if !strings.Contains(all, name) {
			t.Errorf("-v: no %q in\n%s", name, all)
		}
	}
}

// What is the same of many targets of a package is said once.
func TestAlike(t *testing.T) {
	rep := &report.Report{}
	for i := range 7 {
		rep.Targets = append(rep.Targets, &report.Target{Package: "m/a", Entry: fmt.Sprint("Test", i), Status: report.Searched, Note: "not proved: it reads the clock"})
	}
	rep.Targets = append(rep.Targets, &report.Target{Package: "m/b", Entry: "TestB", Status: report.Searched, Note: "not proved: it reads the clock"})
	const want = "a Test0, Test1, Test2, Test3, 3 others: searched, not proved: it reads the clock\nb TestB: searched, not proved: it reads the clock\n"
	if got := shown(false, rep); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := shown(true, rep); !strings.Contains(got, "\na Test6: searched, not proved: it reads the clock\n") {
		t.Errorf("-v: %s", got)
	}
}

// Names of targets that were not reached are in one line for each package.
func TestNotReached(t *testing.T) {
	rep := &report.Report{}
	for i := range 6 {
		rep.Targets = append(rep.Targets, &report.Target{Package: "m", Entry: fmt.Sprint("Test", i), Status: report.NotReached})
	}
	if got, want := shown(false, rep), "not reached: Test0, Test1, Test2, Test3, 2 others\n"; !strings.HasPrefix(got, want) || strings.Contains(got, "cut short") {
		t.Errorf("%s, want %s", got, want)
	}
	rep.Targets = rep.Targets[:5]
	rep.Targets[1].Note, rep.Targets[3].Note = "no run ended", "no run ended"
	if got, want := shown(false, rep), "not reached: Test0, Test2, Test4\nnot reached: Test1, Test3: no run ended\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	rep.Targets[1].Note, rep.Targets[3].Note = "", ""
	if got, want := shown(false, rep), "not reached: Test0, Test1, Test2, Test3, Test4\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTimesInWords(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		1 * time.Second:    {"1 second", "20s"},
		70 * time.Second:   {"70 seconds", "2m"},
		30 * time.Second:   {"30 seconds", "50s"},
		12 * time.Minute:   {"12 minutes", "15m"},
		5244 * time.Minute: {"4 days", "6293m"},
		3 * time.Hour:      {"3 hours", "217m"},
	} {
		if got := [2]string{roughly(d), budgetFor(d)}; got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	rep := &report.Report{Targets: []*report.Target{{Package: "m", Entry: "T", Status: report.CutShort, NeedsMS: 5244 * 60_000, Searched: report.Spent{Attempts: 1}}}}
	if got := shown(false, rep); strings.Contains(got, "minutes") || strings.Contains(got, "-budget") || !strings.Contains(got, "-run and -schedules") {
		t.Error(got)
	}
}

// The failing line's source stands below a finding: the text that was searched.
func TestSourceOfAFinding(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	unsaved := filepath.Join(dir, "unsaved")
	for name, text := range map[string]string{"go.mod": "module m\n", "pool.go": "package m\n\n\tif p.closed {\n", unsaved: "package m\n\n\tif p.open {\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file    string
		overlay map[string]string
		want    string
	}{
		{"pool.go", nil, "\n    pool.go:3:  if p.closed {\n"},
		{"pool.go", map[string]string{filepath.Join(here, "pool.go"): unsaved}, "\n    pool.go:3:  if p.open {\n"},
		{"gone.go", nil, ""},
	} {
		var b strings.Builder
		s := screenOf(&b, c.overlay)
		s.finding(&report.Finding{ID: "12345678", Message: "boom", Failure: report.Place{File: c.file, Line: 3}})
		if got := b.String(); !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "gone.go:3:  ") {
			t.Errorf("%s: %s", c.file, got)
		}
	}
}

// A finding of the same cause as another takes a line, after those.
func TestSameCause(t *testing.T) {
	var b strings.Builder
	first := &report.Finding{ID: "11111111", Package: "m", Entry: "TestA", SameAs: "22222222", Message: "data race", Sentence: "not shown"}
	err := printReport(screen{printer: &printer{w: &b}}, &report.Report{Findings: []*report.Finding{first, {ID: "22222222", Package: "m", Entry: "TestB", Message: "data race", Sentence: "shown"}}}, false)
	got := b.String()
	const want = "11111111  m TestA: data race, same cause as 22222222\n\n0"
	if err != nil || strings.Contains(got, "not shown") || !strings.Contains(strings.Replace(got, "2 findings", "0", 1), want) || strings.Index(got, "22222222  m TestB") > strings.Index(got, "11111111  m") {
		t.Error(err, got)
	}
}
