package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/target"
)

// query is what to look for, with the texts that are not saved; those are
// copied, so that what the caller does with its files changes no search.
func (o *FindOptions) query() (target.Query, error) {
	q := target.Query{Patterns: o.Patterns, Run: o.Run, Flags: o.Flags, Args: o.Args}
	if len(o.Overlay) == 0 {
		return q, nil
	}
	cache, err := cacheDir()
	if err != nil {
		return q, err
	}
	dir := filepath.Join(cache, "unsaved")
	prune(dir)
	q.Overlay, err = overlay.Keep(dir, o.Overlay)
	return q, err
}

// ReadOverlay reads a file as go build -overlay takes it, for
// FindOptions.Overlay.
func ReadOverlay(file string) (map[string]string, error) { return overlay.Parse(file) }

// cacheDir is where builds and their overlays live, for all modules, so that
// the user's folders stay as they are.
func cacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "hocket")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("the cache folder %s can't be made (%w); set XDG_CACHE_HOME to one that can", dir, err)
	}
	return dir, nil
}
