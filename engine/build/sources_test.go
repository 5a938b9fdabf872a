package build

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// TestSourcesAreThoseOfTheBuild: people type before, during and after a build.
func TestSourcesAreThoseOfTheBuild(t *testing.T) {
	dir := t.TempDir()
	yesterday, later := time.Now().Add(-24*time.Hour), time.Now().Add(time.Minute)
	file := func(name, text string, when time.Time) {
		path := testmodule.Write(t, filepath.Join(dir, name), text)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "same.go", "during.go", "after.go", "sub/same.go", "sub/after.go"} {
		file(name, "old", yesterday)
	}
	s := TakeSources(dir, (*overlay.Files)(nil))
	file("during.go", "new", later)
	s.Settle()
	file("after.go", "new", later)
	file("added.go", "new", later)
	file("sub/after.go", "new", later)
	s.Settle() // of the package's next target: the build is the same one

	named := []string{"same.go", "during.go", "after.go", "sub/same.go", "sub/after.go", "none.go"}
	want := map[string]string{"same.go": "old", "after.go": "old", "sub/same.go": "old"}
	got := map[string]string{}
	for _, name := range named {
		if text, ok := s.Text(filepath.Join(dir, name)); ok {
			got[name] = text
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
