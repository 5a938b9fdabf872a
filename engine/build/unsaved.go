package build

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/overlay"
)

// Unsaved makes an overlay of unsaved texts: absolute path -> file with the
// text, "" for a file that counts as deleted; nil if there are none. The texts
// are copied, so that later changes of the caller's files don't affect builds.
// module is the root as the go command names it.
func Unsaved(replace map[string]string, module string) (*overlay.Files, error) {
	if len(replace) == 0 {
		return nil, nil
	}
	dir, err := UnsavedDir()
	if err != nil {
		return nil, err
	}
	return overlay.Keep(dir, Aliased(replace, module))
}

// Aliased replaces each file under the names by which the go command may know
// it: an overlay matches names, and a file named through a symbolic link would
// silently be read from disk.
func Aliased(replace map[string]string, module string) map[string]string {
	out := maps.Clone(replace)
	root, rootErr := filepath.EvalSymlinks(module)
	for path, by := range replace {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			continue // a folder that is not on disk
		}
		names := []string{filepath.Join(dir, filepath.Base(path))}
		if rel, err := filepath.Rel(root, names[0]); rootErr == nil && err == nil && filepath.IsLocal(rel) {
			names = append(names, filepath.Join(module, rel))
		}
		for _, name := range names {
			if _, given := out[name]; !given {
				out[name] = by
			}
		}
	}
	return out
}

// ReadOverlay reads a file as go build -overlay takes it, for
// Unsaved.
func ReadOverlay(file string) (map[string]string, error) { return overlay.Parse(file) }

// UnsavedDir returns the folder for copies of unsaved texts, and removes old
// ones.
func UnsavedDir() (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "unsaved")
	prune(dir)
	return dir, nil
}

// CacheDir returns the folder for builds and their overlays, for all modules,
// so that nothing is written to the user's folders.
func CacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "hocket")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("can't create the cache folder %s (%w); set XDG_CACHE_HOME to a folder where that is possible", dir, err)
	}
	return dir, nil
}
