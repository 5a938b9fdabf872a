package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// TestExplanationLinks: what a document's links lead to, from its folder, from
// none, and where there is no file.
func TestExplanationLinks(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "my module", "a.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("package a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	abs := func(name string) (string, bool) {
		return filepath.Join(root, "my module", name), name != "elsewhere.go"
	}
	for _, c := range []struct{ dir, name, want string }{
		{filepath.Join(root, "cache", "explanations"), "a.go", "[a.go:7](../../my%20module/a.go#L7)"},
		{"", "a.go", "[a.go:7](" + string(protocol.FileURI(file)) + "#L7)"},
		{"", "_testmain.go", "_testmain.go:7"},
		{"", "elsewhere.go", "elsewhere.go:7"},
	} {
		e := explanation{abs: abs, dir: c.dir}
		if got := e.link(c.name, 7); got != c.want {
			t.Errorf("link to %s from %q: %s, want %s", c.name, c.dir, got, c.want)
		}
	}
}
