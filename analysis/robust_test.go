package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStandardLibrary: nothing in real, large and strange packages (generics,
// assembly, linkname, unsafe) makes the analysis stumble, and each answer is the
// same when it is asked again.
func TestStandardLibrary(t *testing.T) {
	patterns := []string{"sync", "sync/atomic", "slices", "reflect", "context", "time", "log/slog", "database/sql"}
	if testing.Short() {
		patterns = patterns[:3]
	}
	l, err := load(t.Context(), Source{Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	first := analyze(t.Context(), l.fset, l.units, filepath.Base)
	second := analyze(t.Context(), l.fset, l.units, filepath.Base)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two answers (-first +second):\n%s", diff)
	}
	for _, e := range first.Errors {
		if strings.Contains(e, "runtime error") || strings.Contains(e, "not looked at whole") {
			t.Error(e)
		}
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
