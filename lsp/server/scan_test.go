package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "w")
	for _, name := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		text := "module m\n"
		if strings.HasSuffix(name, "go.work") {
			text = "go 1.26\n\nuse (\n\t./a\n\t../outside\n\t./missing\n)\n"
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestModulesInAFolder(t *testing.T) {
	dir := tree(t, "go.mod", "go.work", "a/go.mod", "a/b/c/go.mod", "../outside/go.mod", "vendor/v/go.mod", "node_modules/n/go.mod", ".git/g/go.mod", "_x/go.mod", "d/x.go")
	rel := func(roots []string) (names []string) {
		for _, r := range roots {
			name, err := filepath.Rel(dir, r)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
		return names
	}
	roots, cut := modulesIn(context.Background(), dir)
	if got, want := rel(roots), []string{".", "a", "../outside", "a/b/c"}; !slices.Equal(got, want) || cut != "" {
		t.Errorf("found %q (%s), want %q", got, cut, want)
	}
	roots, _ = modulesIn(context.Background(), filepath.Join(dir, "d")) // the module around it
	if got := rel(roots); !slices.Equal(got, []string{"."}) {
		t.Errorf("around d: %q", got)
	}
	if roots, _ := modulesIn(context.Background(), filepath.Join(dir, "none")); !slices.Equal(rel(roots), []string{"."}) {
		t.Errorf("around a folder that is not there: %q", rel(roots))
	}
}

func TestTheSearchIsBounded(t *testing.T) {
	var files []string
	for i := range maxModules + 20 {
		files = append(files, fmt.Sprintf("m%d/go.mod", i))
	}
	roots, cut := modulesIn(context.Background(), tree(t, files...))
	if len(roots) < maxModules || len(roots) > maxModules+20 || !strings.Contains(cut, "modules") {
		t.Errorf("%d modules, %q", len(roots), cut)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if roots, _ := modulesIn(ctx, tree(t, "a/go.mod")); len(roots) != 0 {
		t.Errorf("searched on after the end: %q", roots)
	}
}

// TestLinksAreNotFollowed: a link to a folder above must not make the search endless.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := tree(t, "a/go.mod")
	if err := os.Symlink(dir, filepath.Join(dir, "a", "up")); err != nil {
		t.Fatal(err)
	}
	roots, cut := modulesIn(context.Background(), dir)
	if len(roots) != 1 || cut != "" {
		t.Errorf("%q, %q", roots, cut)
	}
}
