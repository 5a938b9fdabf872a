package kinds_test

import (
	"context"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report/kinds"
	"github.com/hocket-dev/hocket/engine/session"
)

// TestDocs: each doc is whole, and its programs are formatted Go that compiles.
func TestDocs(t *testing.T) {
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "source", nil)
	seen := map[string]bool{}
	for _, d := range kinds.All() {
		if seen[d.ID] {
			t.Errorf("%s is there twice", d.ID)
		}
		seen[d.ID] = true
		if d.Title == "" || d.Text == "" || d.Fix == "" || !d.Kind && !d.Class {
			t.Errorf("%s lacks something: %+v", d.ID, d)
		}
		if (d.Before == "") != (d.After == "") || d.Before == "" && d.ID != "other" {
			t.Errorf("%s has no pair of programs", d.ID)
		}
		for name, src := range programs(d) {
			if out, err := format.Source([]byte(src)); err != nil || string(out) != src {
				t.Errorf("%s: not formatted (%v)", name, err)
				continue
			}
			f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			conf := types.Config{Importer: imp, GoVersion: "go1.26"}
			if _, err := conf.Check(f.Name.Name, fset, []*ast.File{f}, nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, ok := kinds.Get(d.ID); !ok || got != d {
			t.Errorf("Get(%q) = %+v, %v", d.ID, got, ok)
		}
	}
	if _, ok := kinds.Get("deadlok"); ok {
		t.Error("Get finds what is not there")
	}
}

// programs are the files of a doc by their names in a module.
func programs(d kinds.Doc) map[string]string {
	m := map[string]string{}
	for when, src := range map[string]string{"before": d.Before, "after": d.After} {
		if src == "" {
			continue
		}
		file := "main.go"
		if !strings.HasPrefix(src, "package main\n") {
			file = "x_test.go"
		}
		m[filepath.Join(when, d.ID, file)] = src
	}
	return m
}

// TestProgramsAreFound is the proof of the docs: hocket finds this kind or
// class in each program with the bug, and nothing in the fixed one.
func TestProgramsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and searches two programs for each doc")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/k\n\ngo 1.26\n")
	for _, d := range kinds.All() {
		for name, src := range programs(d) {
			write(t, filepath.Join(dir, name), src)
		}
	}
	rep, err := session.Find(context.Background(), session.Options{
		Dir: dir, Patterns: []string{"./..."}, Schedules: 40, Budget: 8 * time.Minute}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]*engine.Finding{}
	for _, f := range rep.Findings {
		id := f.Package[strings.LastIndex(f.Package, "/")+1:]
		if f.Package != "example.com/k/before/"+id {
			t.Errorf("a finding in %s: %s: %s", f.Package, f.Kind, f.Headline())
			continue
		}
		found[id] = append(found[id], f)
	}
	for _, d := range kinds.All() {
		if d.Before == "" {
			continue
		}
		ok := false
		for _, f := range found[d.ID] {
			ok = ok || (!d.Kind || f.Kind == d.ID) && (!d.Class || f.Class == d.ID)
			t.Logf("%s: %s, %s: %s", d.ID, f.Kind, f.Class, f.Headline())
		}
		if !ok {
			t.Errorf("%s: no finding of it among %d", d.ID, len(found[d.ID]))
		}
	}
	for _, tg := range rep.Targets {
		if strings.Contains(tg.Package, "/after/") && tg.Status != "searched" && tg.Status != "clean" {
			t.Errorf("%s: %s %s", tg.Package, tg.Status, tg.Error)
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
