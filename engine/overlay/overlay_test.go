package overlay

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func describe(t *testing.T, replace map[string]string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(t.TempDir(), "overlay.json"), string(data))
}

func TestFiles(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	a := write(t, filepath.Join(dir, "a.go"), "on disk")
	gone := write(t, filepath.Join(dir, "gone.go"), "on disk")
	plain := write(t, filepath.Join(dir, "plain.go"), "on disk")
	fresh := filepath.Join(dir, "fresh.go")
	buffer := write(t, filepath.Join(t.TempDir(), "buffer"), "unsaved")
	replace, err := Parse(describe(t, map[string]string{a: buffer, fresh: buffer, gone: ""}))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Keep(cache, replace)
	if err != nil {
		t.Fatal(err)
	}
	// What the editor does afterwards changes nothing.
	write(t, buffer, "later")
	for path, want := range map[string]string{a: "unsaved", fresh: "unsaved", plain: "on disk", dir + "/./a.go": "unsaved"} {
		if got, err := f.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	for _, path := range []string{a, fresh} {
		if got := f.Original(f.replace[path]); got != path {
			t.Errorf("%s is told as %s", path, got)
		}
	}
	if f.Original(plain) != plain {
		t.Error("a file on disk is told as another")
	}
	if _, err := f.ReadFile(gone); !errors.Is(err, fs.ErrNotExist) || !f.Deleted(gone) {
		t.Errorf("deleted file: %v", err)
	}
	if diff := cmp.Diff([]string{a, fresh, plain}, f.GoFiles(dir)); diff != "" {
		t.Error(diff)
	}
	again, err := Keep(cache, map[string]string{a: write(t, buffer, "unsaved"), fresh: buffer, gone: ""})
	if err != nil || again.Description() != f.Description() {
		t.Errorf("the same overlay again: %v, %v", again, err)
	}
	other, err := Keep(cache, map[string]string{a: write(t, buffer, "other"), fresh: buffer, gone: ""})
	if err != nil || other.Description() == f.Description() {
		t.Errorf("another overlay: %v, %v", other, err)
	}
}

func TestTexts(t *testing.T) {
	buffer := write(t, filepath.Join(t.TempDir(), "buffer"), "unsaved")
	got, err := Texts(map[string]string{"/m/a.go": buffer, "/m/gone.go": ""})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"/m/a.go": "unsaved"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Texts(map[string]string{"/m/a.go": "/nowhere"}); err == nil || !strings.Contains(err.Error(), "overlay's text of /m/a.go: open /nowhere") {
		t.Errorf("error %v", err)
	}
}

func TestIncluding(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	a, b, c := write(t, filepath.Join(dir, "a.go"), "disk"), filepath.Join(dir, "b.go"), write(t, filepath.Join(dir, "c.go"), "disk")
	first, err := Keep(cache, map[string]string{a: "", b: write(t, filepath.Join(t.TempDir(), "b"), "")})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Files{first, nil} {
		more, err := f.Including(cache, map[string][]byte{c: []byte("then")})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := more.ReadFile(c); err != nil || string(got) != "then" {
			t.Errorf("%q, %v", got, err)
		}
		if more.Deleted(a) != first.Deleted(a) && f != nil {
			t.Error("the deleted file is back")
		}
		if got, err := more.ReadFile(b); f != nil && (err != nil || string(got) != "") {
			t.Errorf("the empty file: %q, %v", got, err)
		}
		if gone, err := more.Including(cache, map[string][]byte{c: nil}); err != nil || !gone.Deleted(c) {
			t.Errorf("not deleted: %v", err)
		}
	}
	if first.Has(c) {
		t.Error("the first overlay has changed")
	}
}

func TestWith(t *testing.T) {
	buffer := write(t, filepath.Join(t.TempDir(), "buffer"), "unsaved")
	f, err := Keep(t.TempDir(), map[string]string{"/m/a.go": buffer})
	if err != nil {
		t.Fatal(err)
	}
	name, err := f.With(describe(t, map[string]string{"/std/x.go": "/copy/x.go"}))
	if err != nil {
		t.Fatal(err)
	}
	both, err := Parse(name)
	if err != nil || len(both) != 2 || both["/std/x.go"] != "/copy/x.go" {
		t.Errorf("%v, %v", both, err)
	}
	if text, err := os.ReadFile(both["/m/a.go"]); err != nil || string(text) != "unsaved" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := f.With(describe(t, map[string]string{"/m/a.go": "/copy/x.go"})); err == nil || !strings.Contains(err.Error(), "/m/a.go, which hocket edits") {
		t.Errorf("a conflict gives %v", err)
	}
}

// TestNone: nothing replaced is a nil overlay, and that works.
func TestNone(t *testing.T) {
	f, err := Keep(t.TempDir(), nil)
	if f != nil || err != nil {
		t.Fatal(f, err)
	}
	path := write(t, filepath.Join(t.TempDir(), "a.go"), "x")
	if got, err := f.ReadFile(path); err != nil || string(got) != "x" || f.Has(path) || f.Deleted(path) || f.Flags() != nil || f.Description() != "" {
		t.Errorf("%q, %v", got, err)
	}
	if name, err := f.With("desc.json"); name != "desc.json" || err != nil {
		t.Error(name, err)
	}
	if diff := cmp.Diff([]string{path}, f.GoFiles(filepath.Dir(path))); diff != "" {
		t.Error(diff)
	}
}

func TestBadOverlays(t *testing.T) {
	for text, want := range map[string]string{
		`{"Replace": {"": "x"}}`:                     "without a name",
		`{"Replace": {"/a/b.go":"","/a/./b.go":""}}`: "/a/b.go twice",
		`{"Replace": [1]}`:                           "it is JSON like",
		``:                                           "it is JSON like",
	} {
		_, err := Parse(write(t, filepath.Join(t.TempDir(), "o.json"), text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for path, want := range map[string]string{"a.go": "give an absolute path", "/a.go": "overlay's text of /a.go: open /nowhere"} {
		if _, err := Keep(t.TempDir(), map[string]string{path: "/nowhere"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
