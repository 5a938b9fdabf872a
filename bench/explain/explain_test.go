package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine/report"
)

func TestJudge(t *testing.T) {
	truth := programs.Truth{RootCause: []programs.TrueLine{
		{File: "pool.go", Line: 10}, {File: "pool.go", Line: 20, Or: []int{21}}, {File: "sub/list.go", Line: 5}}}
	at := func(file string, line int) report.Access { return report.Access{File: file, Line: line} }
	called := at("pool.go", 99)
	called.Call = &report.Place{File: "pool.go", Line: 10}
	for _, c := range []struct {
		name           string
		findings       [][]report.Access
		missing, extra int
		complete       bool
	}{
		{"nothing found", nil, 3, 0, false},
		{"nothing explained", [][]report.Access{{}}, 3, 0, false},
		{"all", [][]report.Access{{at("pool.go", 10), at("pool.go", 20), at("sub/list.go", 5)}}, 0, 0, true},
		{"by a call, and another line", [][]report.Access{{called, at("pool.go", 21), at("sub/list.go", 5)}}, 0, 0, true},
		{"in a dependency", [][]report.Access{{at("m.org/p@v1.2.3/pool.go", 10), at("m.org/p@v1.2.3/pool.go", 20), at("m.org/p@v1.2.3/sub/list.go", 5)}}, 0, 0, true},
		{"another file", [][]report.Access{{at("carpool.go", 10), at("pool.go", 20), at("other/sub/list.go", 5)}}, 2, 2, false},
		{"the better of two", [][]report.Access{{at("pool.go", 10), at("pool.go", 1)}, {at("pool.go", 10), at("pool.go", 20)}}, 1, 0, false},
	} {
		var all []*report.Finding
		for _, cause := range c.findings {
			all = append(all, &report.Finding{RootCause: cause})
		}
		r := judge(programs.Case{Truth: truth}, all)
		if len(r.missing) != c.missing || len(r.extra) != c.extra || r.complete() != c.complete || r.findings != len(all) {
			t.Errorf("%s: %d missing, %d beyond, complete %v, %d findings", c.name, len(r.missing), len(r.extra), r.complete(), r.findings)
		}
	}
}

func TestSummary(t *testing.T) {
	truth := programs.Truth{RootCause: []programs.TrueLine{{File: "a.go", Line: 1}}}
	one := func(level report.Level, ms int64, lines ...int) result {
		f := &report.Finding{Confirmed: level, ExplainedMS: ms}
		for _, l := range lines {
			f.RootCause = append(f.RootCause, report.Access{File: "a.go", Line: l})
		}
		return judge(programs.Case{Truth: truth}, []*report.Finding{f})
	}
	got := summary([]result{one(report.Native, 3000, 1, 2, 3), one(report.Controlled, 1000, 2), one(report.RaceProved, 0, 1, 2), judge(programs.Case{Truth: truth}, nil)})
	const want = "complete 2 of 4 (found 3; 2 of 4 true lines named); median 2 rows, 1 findings, 1.0 s to explain; 2 confirmed on the ordinary build or as a race"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m := median([]time.Duration{5, 1, 3}); m != 3 {
		t.Errorf("median %d", m)
	}
}

// The programs are there in full: an expected sentence, true lines that have code, and
// the same lines' file in the twin.
func TestProgramsAreComplete(t *testing.T) {
	for _, set := range []string{"seen", "unseen"} {
		all, err := programs.Cases(filepath.Join("programs", set), "", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < 12 {
			t.Errorf("%d programs are %s", len(all), set)
		}
		for _, c := range all {
			if c.Truth.Sentence == "" || c.Truth.Fix == "" || len(c.Truth.RootCause) == 0 {
				t.Errorf("%s: truth.json lacks the sentence, the fix or the lines", c.Name)
			}
			for _, l := range c.Truth.RootCause {
				for _, line := range append(l.Or, l.Line) {
					if !hasCode(t, filepath.Join(c.Dir, l.File), line) {
						t.Errorf("%s: %s:%d has no code", c.Name, l.File, line)
					}
				}
				if _, err := os.Stat(filepath.Join(c.Fixed, l.File)); err != nil {
					t.Errorf("%s: the twin: %v", c.Name, err)
				}
			}
		}
	}
}

func hasCode(t *testing.T, file string, line int) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return false
	}
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return false
	}
	text := strings.TrimSpace(lines[line-1])
	return text != "" && text != "}" && !strings.HasPrefix(text, "//")
}
