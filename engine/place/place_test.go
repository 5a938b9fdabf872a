package place

import (
	"path/filepath"
	"testing"
)

func TestNames(t *testing.T) {
	base := t.TempDir()
	r := Roots{
		Module:   filepath.Join(base, "m"),
		Goroot:   filepath.Join(base, "go"),
		ModCache: filepath.Join(base, "mod"),
	}
	for _, c := range []struct{ file, name string }{
		{filepath.Join(base, "m", "a", "b.go"), "a/b.go"},
		{filepath.Join(base, "go", "src", "sync", "mutex.go"), "std/sync/mutex.go"},
		{filepath.Join(base, "mod", "github.com", "!big!corp", "x@v1.2.3-!r!c", "y", "Z.go"), "github.com/BigCorp/x@v1.2.3-RC/y/Z.go"},
		{filepath.Join(base, "other", "z.go"), "../other/z.go"},
	} {
		if got := r.Name(c.file); got != c.name {
			t.Errorf("Name(%q) = %q, want %q", c.file, got, c.name)
		}
		if got := r.Abs(c.name); got != c.file {
			t.Errorf("Abs(%q) = %q, want %q", c.name, got, c.file)
		}
	}
}

func TestStdThroughALink(t *testing.T) {
	base := t.TempDir()
	r := Roots{Goroot: filepath.Join(base, "mod", "toolchain"), ModCache: filepath.Join(base, "mod"), Link: filepath.Join(base, "link")}
	if got := r.Name(filepath.Join(base, "link", "src", "fmt", "print.go")); got != "std/fmt/print.go" {
		t.Errorf("got %q", got)
	}
}

func TestNameOfAFileFromNowhereHoldsNoFolder(t *testing.T) {
	base := t.TempDir()
	r := Roots{Module: filepath.Join(base, "a", "b", "c", "d")}
	if got := r.Name(filepath.Join(base, "x", "gen.go")); got != "gen.go" {
		t.Errorf("got %q", got)
	}
}

func TestInMain(t *testing.T) {
	for name, want := range map[string]bool{"a.go": true, "std/sync/cond.go": false, "x.y/z@v1.0.0/a.go": false} {
		if InMain(name) != want {
			t.Errorf("InMain(%q) = %v", name, !want)
		}
	}
}
