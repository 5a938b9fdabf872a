package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine/report"
)

func TestTouches(t *testing.T) {
	edit := func(file string, from, to int) *report.Fix {
		return &report.Fix{Edits: []report.FixEdit{{File: file, Start: report.Pos{Line: from, Column: 1}, End: report.Pos{Line: to, Column: 1}}}}
	}
	region := &programs.Truth{Region: &programs.TrueRegion{File: "pool.go", From: 10, To: 14}}
	atomic := &programs.Truth{AtomicRegion: region.Region, RootCause: []programs.TrueLine{{File: "pool.go", Line: 40}}}
	lines := &programs.Truth{Lines: []programs.TrueLine{{File: "pool.go", Line: 10}, {File: "list.go", Line: 5}}}
	cause := &programs.Truth{RootCause: []programs.TrueLine{{File: "sub/pool.go", Line: 10}}}
	for _, c := range []struct {
		name  string
		truth *programs.Truth
		fix   *report.Fix
		want  bool
	}{
		{"within the region", region, edit("pool.go", 12, 12), true},
		{"a lock before the region", region, edit("pool.go", 9, 9), true},
		{"a lock behind the region", region, edit("pool.go", 15, 15), true},
		{"all around the region", region, edit("pool.go", 5, 30), true},
		{"too early", region, edit("pool.go", 7, 8), false},
		{"too late", region, edit("pool.go", 16, 16), false},
		{"another file", region, edit("carpool.go", 12, 12), false},
		{"the region is known, so a line of the cause is not enough", atomic, edit("pool.go", 40, 40), false},
		{"the second line", lines, edit("list.go", 5, 5), true},
		{"none of the lines", lines, edit("pool.go", 5, 5), false},
		{"near the cause, in a dependency", cause, edit("m.org/p@v1.2.3/sub/pool.go", 13, 13), true},
		{"the cause's file of another folder", cause, edit("pool.go", 10, 10), false},
		{"made atomic", region, &report.Fix{Regions: []report.Region{{File: "pool.go", From: 14, To: 20}}}, true},
		{"made atomic elsewhere", region, &report.Fix{Regions: []report.Region{{File: "pool.go", From: 15, To: 20}}}, false},
	} {
		if got := touches(c.fix, c.truth); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestSummary(t *testing.T) {
	holds := report.Fix{Verified: report.FixSearched}
	all := []result{
		{found: true, touches: true, fixes: []report.Fix{holds, holds}, took: 3 * time.Second, checked: []string{"found again"}},
		{found: true, fixes: []report.Fix{{Reason: "fails"}}},
		{found: true, touches: true, fixes: []report.Fix{holds}, took: time.Second},
		{},
	}
	const want = "found 3 of 4, a verified fix in 2; the first one touches what is wrong in 2; 2 of 3 verified fixes held when checked (all, without -check); median 1.0 s to the first one"
	if got := summary(all); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The programs are there in full: what a right fix touches is code, and the twin differs.
func TestProgramsAreComplete(t *testing.T) {
	for _, set := range []string{"seen", "unseen"} {
		all, err := programs.Cases(filepath.Join("programs", set), "", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < 10 {
			t.Errorf("%d programs are %s", len(all), set)
		}
		for _, c := range all {
			lines := c.Truth.Lines
			if r := c.Truth.Region; r != nil {
				lines = append(lines, programs.TrueLine{File: r.File, Line: r.From}, programs.TrueLine{File: r.File, Line: r.To})
				if r.From > r.To {
					t.Errorf("%s: the region ends before it begins", c.Name)
				}
			}
			if c.Truth.Kind == "" || c.Truth.Entry == "" || c.Truth.Fix == "" || len(lines) == 0 {
				t.Errorf("%s: truth.json lacks the kind, the entry, the fix or what it touches", c.Name)
			}
			for _, l := range lines {
				if !hasCode(t, filepath.Join(c.Dir, l.File), l.Line) {
					t.Errorf("%s: %s:%d has no code", c.Name, l.File, l.Line)
				}
			}
			if _, err := differing(c.Dir, c.Fixed); err != nil {
				t.Errorf("%s: %v", c.Name, err)
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

// The wrong repairs are texts of files that their programs have, and change them.
func TestWrongRepairs(t *testing.T) {
	for _, set := range []string{"seen", "unseen"} {
		all, err := wrongs(filepath.Join("wrong", set))
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < 20 {
			t.Errorf("%d wrong repairs are %s", len(all), set)
		}
		for _, x := range all {
			for name, text := range x.texts {
				if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
					t.Errorf("%s: %v", x.name, err)
				}
				if strings.HasPrefix(x.program, "case/") {
					continue // of a folder that is given
				}
				before, err := os.ReadFile(filepath.Join("..", x.program, name))
				if err != nil || bytes.Equal(before, text) {
					t.Errorf("%s changes nothing of %s: %v", x.name, name, err)
				}
			}
		}
	}
}
