// Package testmodule makes modules on disk for tests.
package testmodule

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// Dir is a temporary folder by the name that the go command uses: without
// symbolic links.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// New makes a folder with the files of a txtar archive.
func New(t testing.TB, archive string) string {
	t.Helper()
	dir := Dir(t)
	for _, f := range txtar.Parse([]byte(archive)).Files {
		Write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(f.Data))
	}
	return dir
}

// Write makes a file, and the folders that it lies in, and returns its path.
func Write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
