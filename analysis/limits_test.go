package analysis

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCut: where a limit leaves something out, the report says so, and says
// nothing where none does.
func TestCut(t *testing.T) {
	many := "package main\n\nvar n int\n\nfunc main() {\n" + strings.Repeat("\tn++\n", maxEvents) + "}\n"
	few := "package main\n\nvar n int\n\nfunc main() {\n" + strings.Repeat("\tn++\n", maxEvents/2) + "}\n"
	deep := "package main\n\nvar n int\n\nfunc main() { f0() }\n"
	for i := range maxDepth + 2 {
		deep += fmt.Sprintf("\nfunc f%d() { f%d() }\n", i, i+1)
	}
	deep += fmt.Sprintf("\nfunc f%d() { n++ }\n", maxDepth+2)
	for _, c := range []struct {
		name, text string
		want       *Cut
	}{{"many", many, &Cut{Functions: 1}}, {"few", few, nil}, {"deep", deep, &Cut{Deep: 1}}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module example.com/cut\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "a.go"), c.text)
			rep, err := Analyze(t.Context(), Source{Dir: dir}, filepath.Base)
			if err != nil {
				t.Fatal(err)
			}
			if (rep.Cut == nil) != (c.want == nil) || rep.Cut != nil && (rep.Cut.Functions > 0) != (c.want.Functions > 0) ||
				rep.Cut != nil && (rep.Cut.Deep > 0) != (c.want.Deep > 0) {
				t.Errorf("cut %+v, want %+v", rep.Cut, c.want)
			}
		})
	}
}

// TestPoints: a column of code points counts the characters before it.
func TestPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`[a-zäß€😀 ]{0,12}`).Draw(t, "before")
		line := []byte(before + "x++")
		if got, want := points(line, len(before)+1), len([]rune(before))+1; got != want {
			t.Errorf("%q: column %d, want %d", before, got, want)
		}
	})
	if got := points(nil, 7); got != 7 {
		t.Errorf("without the text: %d", got)
	}
}

// TestColumns: columns of a side are bytes, and code points for SARIF.
func TestColumns(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/columns\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "a.go"), "package main\n\nfunc main() {}\n")
	text := "package main\n\nvar n int\n\nfunc main() {\n\tgo func() { /* äöü€ */ n++ }()\n\tn++\n}\n"
	rep, err := Analyze(t.Context(), Source{Dir: dir, Overlay: map[string][]byte{filepath.Join(dir, "a.go"): []byte(text)}}, filepath.Base)
	if err != nil || len(rep.Pairs) == 0 {
		t.Fatal(rep, err)
	}
	found := false
	for _, s := range rep.Pairs[0].Sides {
		if s.Line == 6 {
			found = true
			if s.Column-s.PointColumn != len("äöü€")-4 || s.EndColumn-s.PointEndColumn != len("äöü€")-4 {
				t.Errorf("side %+v", s)
			}
		}
	}
	if !found {
		t.Errorf("pair %+v", rep.Pairs[0])
	}
}
