package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/internal/bug"
)

// TestStandardLibrary: nothing in real, large and strange packages (generics,
// assembly, linkname, unsafe) makes the analysis stumble, and each answer is the
// same when it is asked again.
func TestStandardLibrary(t *testing.T) {
	patterns := []string{"sync", "sync/atomic", "slices", "reflect", "context", "time", "log/slog", "database/sql"}
	if testing.Short() {
		patterns = patterns[:3]
	}
	l, err := program.Load(t.Context(), Source{Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	first := analyze(t.Context(), l.Fset, l.Packages, filepath.Base)
	second := analyze(t.Context(), l.Fset, l.Packages, filepath.Base)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two answers (-first +second):\n%s", diff)
	}
	if first.Lines < 5000 {
		t.Errorf("%d lines were read", first.Lines)
	}
	for i, p := range first.Pairs {
		checkPair(t, i, p)
	}
}

// checkPair asserts what holds of each pair.
func checkPair(t *testing.T, i int, p Pair) {
	t.Helper()
	sides := p.Sides
	if p.Then != nil {
		sides = append(sides[:2:2], *p.Then)
	}
	for _, s := range sides {
		if s.File == "" || s.Line < 1 || s.Column < 1 || s.EndColumn <= s.Column || s.Func == "" || s.Goroutine == "" || s.Op == "" {
			t.Errorf("pair %d: side %+v", i, s)
		}
	}
	if len(p.Sides) != 2 || p.Rank != i+1 || p.Score < 0 || p.Score > 1 || p.Why == "" || strings.Contains(p.Why, "\n") || p.What == "" {
		t.Errorf("pair %d: %+v", i, p)
	}
}

// TestBroken: a package that does not compile gives what it can, and says so.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/broken\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "a.go"), `package main

var n int

func main() {
	go func() { n++ }()
	n++
	undefined()
}
`)
	rep, err := Analyze(t.Context(), Source{Dir: dir}, filepath.Base)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Errors) == 0 || !strings.Contains(strings.Join(rep.Errors, " "), "undefined") {
		t.Errorf("errors %q", rep.Errors)
	}
	if _, err := json.Marshal(rep); err != nil {
		t.Error(err)
	}
}

// TestPanic: a panic costs what was looked at, is reported, and the line about it
// tells where the details are. The rest of the answer is there.
func TestPanic(t *testing.T) {
	l, err := program.Load(t.Context(), Source{Patterns: []string{"errors", "sync"}})
	if err != nil {
		t.Fatal(err)
	}
	whole := analyze(t.Context(), l.Fset, l.Packages, filepath.Base)
	if len(whole.Errors) != 0 || len(whole.Pairs) == 0 {
		t.Fatalf("%d pairs, errors %q", len(whole.Pairs), whole.Errors)
	}
	bug.Tolerate(t)
	check := func(rep *Report, doing string) {
		t.Helper()
		want := doing + ` failed: internal error of Hocket; run "hocket bug" to report it`
		if len(rep.Errors) != 1 || rep.Errors[0] != want || len(rep.Pairs) == 0 {
			t.Errorf("%d pairs, errors %q, want %q", len(rep.Pairs), rep.Errors, want)
		}
		if got, err := bug.List(); len(got) != 1 || err != nil {
			t.Errorf("bug reports %+v, %v", got, err)
		}
		if err := bug.Clear(); err != nil {
			t.Error(err)
		}
	}

	for _, u := range l.Packages {
		if u.Types.Name() == "errors_test" { // which no other package imports
			u.Info = &types.Info{} // the SSA builder needs it
		}
	}
	check(analyze(t.Context(), l.Fset, l.Packages, filepath.Base), "analyzing package errors")

	if l, err = program.Load(t.Context(), Source{Patterns: []string{"sync"}}); err != nil {
		t.Fatal(err)
	}
	p := newSummarizer(t.Context(), program.Build(t.Context(), l.Fset, l.Packages))
	for _, fn := range p.Functions() {
		if fn.String() == "(*sync.RWMutex).TryLock" {
			fn.Blocks[0].Succs[1].Instrs = nil // no block is empty
		}
	}
	check(p.report(l.Packages, filepath.Base), "analyzing function (*sync.RWMutex).TryLock")

	if l, err = program.Load(t.Context(), Source{Patterns: []string{"errors", "sync"}}); err != nil {
		t.Fatal(err)
	}
	p = newSummarizer(t.Context(), program.Build(t.Context(), l.Fset, l.Packages))
	p.Built[0] = nil
	check(p.report(l.Packages, filepath.Base), "analyzing package "+p.Packages[0].Path)
}

// TestUnparsed: of a file that does not parse one line tells, with its place,
// however many errors follow from it and with tests or without.
func TestUnparsed(t *testing.T) {
	for _, tests := range []bool{false, true} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module example.com/torn\n\ngo 1.26\n")
		write(t, filepath.Join(dir, "a.go"), "package torn\n\nfunc F() {\n\tx :=\n}\n")
		if tests {
			write(t, filepath.Join(dir, "a_test.go"), "package torn\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n")
		}
		rep, err := Analyze(t.Context(), Source{Dir: dir}, filepath.Base)
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Errors) != 1 || !strings.HasPrefix(rep.Errors[0], filepath.Join(dir, "a.go")+":5:1: ") {
			t.Errorf("tests %v: errors %q", tests, rep.Errors)
		}
	}
}

// TestOverlay: an unsaved text replaces the file.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/unsaved\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "a.go"), "package main\n\nfunc main() {}\n")
	text := "package main\n\nvar n int\n\nfunc main() {\n\tgo func() { n++ }()\n\tn++\n}\n"
	rep, err := Analyze(t.Context(), Source{Dir: dir, Overlay: map[string][]byte{filepath.Join(dir, "a.go"): []byte(text)}}, filepath.Base)
	if err != nil || len(rep.Pairs) == 0 || rep.Pairs[0].Kind != Race {
		t.Fatalf("%+v, %v", rep, err)
	}
}

// TestCancel: a cancelled analysis ends with the context's error.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Analyze(ctx, Source{Patterns: []string{"sync"}}, filepath.Base); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
