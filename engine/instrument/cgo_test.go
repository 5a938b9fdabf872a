package instrument

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A program that needs C code is told from one that does not compile.
func TestCgoIsNamed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"main.go":     "package main\n\nimport \"m/c\"\n\nfunc main() { c.F() }\n",
		"c/cgo.go":    "package c\n\nimport \"C\"\n\nfunc F() {}\n",
		"bad/main.go": "package main\n\nfunc main() { undefined() }\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b := NewBuilder(t.TempDir())
	_, err := b.Control(context.Background(), Target{Dir: dir, ImportPath: "m", Entry: "main"})
	var ce *CgoError
	if !errors.As(err, &ce) || ce.Package != "m/c" || ce.File != "cgo.go" {
		t.Errorf("got %v, want cgo in m/c", err)
	}
	_, err = b.Control(context.Background(), Target{Dir: filepath.Join(dir, "bad"), ImportPath: "m/bad", Entry: "main"})
	var be *BuildError
	if !errors.As(err, &be) {
		t.Errorf("got %v, want a build error", err)
	}
}
