package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
)

// The root of a workspace, the member itself and another member give a bug one id.
func TestOneIDInAWorkspace(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"go.work": "go 1.26\nuse (\n./mem\n./other\n)\n", "mem/go.mod": "module m\n", "other/go.mod": "module o\n",
		"mem/sub/a.go": "package sub\nread()\nwrite()\n"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	id := func(module, file string, known ...*Record) string {
		f := &report.Finding{Package: "m/sub", Entry: "TestX", Kind: "panic", Failure: report.Place{File: file, Line: 3, Func: "m/sub.f"},
			RootCause: []report.Access{{File: file, Line: 2, Func: "m/sub.f", Op: "read"}, {File: file, Line: 3, Func: "m/sub.f", Op: "write"}}}
		Identify(f, known, site.Roots{Module: module}, nil)
		return f.ID
	}
	want := id(filepath.Join(root, "mem"), "sub/a.go")
	if got := id(root, "mem/sub/a.go"); got != want {
		t.Errorf("from the root %s, from the member %s", got, want)
	}
	if got := id(filepath.Join(root, "other"), "../mem/sub/a.go"); got != want {
		t.Errorf("from another member %s, from the member %s", got, want)
	}
	if got := id(root, "mem/sub/b.go"); got == want {
		t.Error("another file, the same id")
	}
}
