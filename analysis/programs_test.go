package analysis

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hocket-dev/hocket/analysis/program"
)

var update = flag.Bool("update", false, "write the pairs that are found into testdata")

// program is a file of testdata: a program with a bug and without it. In the
// one with it, lines that end in //@1 and //@2 are the two sides of its pair.
type testProgram struct {
	file    string
	archive *txtar.Archive
	reports map[string]*Report // by "bug" and "fixed"
	marks   map[int][]int      // 1 and 2 → lines
}

// loadPrograms puts all programs into one module and analyses each alone.
func loadPrograms(t *testing.T) []*testProgram {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/programs\n\ngo 1.26\n")
	var all []*testProgram
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := &testProgram{file: file, archive: ar, reports: map[string]*Report{}, marks: map[int][]int{}}
		all = append(all, p)
		for _, f := range ar.Files {
			if !strings.HasSuffix(f.Name, ".go") {
				continue
			}
			if text, err := format.Source(f.Data); err != nil || string(text) != string(f.Data) {
				if !*update || err != nil {
					t.Errorf("%s: %s is not formatted (%v)", file, f.Name, err)
				}
			}
			write(t, filepath.Join(dir, p.name(), f.Name), string(f.Data))
			if strings.HasPrefix(f.Name, "bug/") {
				p.mark(string(f.Data))
			}
		}
	}
	l, err := program.Load(t.Context(), Source{Dir: dir, Patterns: []string{"./..."}})
	if err != nil || len(l.Problems) > 0 {
		t.Fatal(err, l.Problems)
	}
	for _, u := range l.Packages {
		for _, p := range all {
			side, ok := strings.CutPrefix(u.Path, "example.com/programs/"+p.name()+"/")
			if ok {
				p.reports[side] = analyze(t.Context(), l.Fset, []*program.Package{u}, filepath.Base)
			}
		}
	}
	return all
}

func (p *testProgram) name() string { return strings.TrimSuffix(filepath.Base(p.file), ".txtar") }

func (p *testProgram) mark(text string) {
	for i, line := range strings.Split(text, "\n") {
		for side := 1; side <= 2; side++ {
			if strings.Contains(line, fmt.Sprint("//@", side)) {
				p.marks[side] = append(p.marks[side], i+1)
			}
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// rank of the first pair whose places are those marked, 0 if there is none.
func (p *testProgram) rank() int {
	for _, pair := range p.reports["bug"].Pairs {
		a, b := pair.Sides[0].Line, pair.Sides[1].Line
		one, two := p.marks[1], p.marks[2]
		if slices.Contains(one, a) && slices.Contains(two, b) || slices.Contains(one, b) && slices.Contains(two, a) {
			return pair.Rank
		}
	}
	return 0
}

// golden is what is worth showing, as text.
func (p *testProgram) golden() string {
	var s strings.Builder
	for _, side := range []string{"bug", "fixed"} {
		shown, left := p.reports[side].Suspicious()
		fmt.Fprintf(&s, "%s:\n", side)
		for _, pair := range shown {
			fmt.Fprintf(&s, "\t%.2f %s: %s: %s\n", pair.Score, pair.Kind, pair.What, pair.Why)
			for _, x := range pair.Sides {
				fmt.Fprintf(&s, "\t\t%d:%d-%d %s in %s, holds %v, %s\n", x.Line, x.Column, x.EndColumn, x.Op, x.Func, x.Locks, x.Goroutine)
			}
			if pair.Then != nil {
				fmt.Fprintf(&s, "\t\tthen %d:%d %s in %s\n", pair.Then.Line, pair.Then.Column, pair.Then.Op, pair.Then.Func)
			}
		}
		for _, c := range p.reports[side].Cycles {
			fmt.Fprintf(&s, "\tcycle %v\n", c.Locks)
		}
		fmt.Fprintf(&s, "\t%d left out\n", left)
	}
	return s.String()
}

// TestPrograms: in each program with a bug its pair is among the first three, and shown;
// without it, nothing is said; and all that is said is as in the file.
func TestPrograms(t *testing.T) {
	for _, p := range loadPrograms(t) {
		t.Run(p.name(), func(t *testing.T) {
			if p.reports["bug"] == nil || p.reports["fixed"] == nil || len(p.marks) != 2 {
				t.Fatalf("reports %v, marks %v", p.reports, p.marks)
			}
			shown, _ := p.reports["bug"].Suspicious()
			if r := p.rank(); r == 0 || r > min(3, len(shown)) {
				t.Errorf("the pair at lines %v and %v has rank %d of %d shown", p.marks[1], p.marks[2], r, len(shown))
			}
			if shown, _ := p.reports["fixed"].Suspicious(); len(shown) > 0 {
				t.Errorf("%d pairs in the program without the bug", len(shown))
			}
			last := len(p.archive.Files) - 1
			got := p.golden()
			if *update {
				for i := range p.archive.Files[:last] {
					f := &p.archive.Files[i]
					f.Data, _ = format.Source(f.Data)
				}
				p.archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(p.file, txtar.Format(p.archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(p.archive.Files[last].Data), got); diff != "" {
				t.Errorf("pairs (-file +got); go test -update writes them:\n%s", diff)
			}
		})
	}
}
