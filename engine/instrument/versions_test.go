package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every Go distribution at hand takes the edits: the one that runs the test
// and those that the go command has downloaded.
func TestOverlayFitsDistributions(t *testing.T) {
	for _, root := range distributions(t) {
		t.Run(filepath.Base(root), func(t *testing.T) {
			files, err := overlayFiles(root)
			if err != nil {
				t.Fatal(err)
			}
			if len(files) < 30 {
				t.Fatalf("only %d files", len(files))
			}
			if files, err = pathFiles(root); err != nil || len(files) != len(pathEdits())+2 {
				t.Fatalf("recording of paths: %d files, %v", len(files), err)
			}
		})
	}
}

func distributions(t *testing.T) []string {
	tc, err := NewBuilder(t.TempDir()).Toolchain(t.Context(), Target{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	out := []string{tc.GOROOT}
	more, _ := filepath.Glob(filepath.Join(tc.ModPath, "golang.org", "toolchain@*"))
	for _, m := range more {
		if _, err := os.Stat(filepath.Join(m, "src", "runtime", "proc.go")); err == nil && (strings.Contains(m, "go1.26") || strings.Contains(m, "go1.27")) {
			out = append(out, m)
		}
	}
	return out
}
