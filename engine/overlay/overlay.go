// Package overlay holds texts that stand for files during a build, as go build
// -overlay does: unsaved buffers of an editor are searched in this way.
//
// Invariants:
//   - The texts are copied when the overlay is made: it stays what it was, even
//     if the files that held them change or go. Equal overlays have equal file
//     names, so that the go command's cache serves later builds.
//   - A path is replaced, deleted, or as on disk. ReadFile gives for each path
//     what a build sees.
//   - A nil *Files replaces nothing; every method works on it.
package overlay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// Files are the replaced files of a build. They don't change.
type Files struct {
	dir     string            // where copies and descriptions are
	desc    string            // description for the go command
	replace map[string]string // path -> copy; "" if the path is deleted
	texts   map[string][]byte // path -> text
}

// description is the file that go build -overlay takes.
type description struct{ Replace map[string]string }

// Parse reads a description: absolute paths, each with the file that holds its
// text, "" for a path that is to be seen as deleted. As for the go command,
// relative paths are relative to the current folder.
func Parse(name string) (map[string]string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the overlay: %w", err)
	}
	var d description
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf(`read the overlay %s: %w; it is JSON like {"Replace": {"/abs/x.go": "/tmp/copy"}}`, name, err)
	}
	out := map[string]string{}
	for path, by := range d.Replace {
		if path == "" {
			return nil, fmt.Errorf("the overlay %s replaces a file without a name", name)
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("read the overlay %s: %w", name, err)
		}
		if _, twice := out[abs]; twice {
			return nil, fmt.Errorf("the overlay %s replaces %s twice", name, abs)
		}
		if by != "" {
			if by, err = filepath.Abs(by); err != nil {
				return nil, fmt.Errorf("read the overlay %s: %w", name, err)
			}
		}
		out[abs] = by
	}
	return out, nil
}

// Texts reads the texts of what Parse returns, by path. Files that are deleted
// are left out.
func Texts(replace map[string]string) (map[string]string, error) {
	texts := map[string]string{}
	for path, by := range replace {
		if by == "" {
			continue
		}
		text, err := os.ReadFile(by)
		if err != nil {
			return nil, fmt.Errorf("the overlay's text of %s: %w", path, err)
		}
		texts[path] = string(text)
	}
	return texts, nil
}

// Keep makes an overlay of what Parse returns, with copies of the texts in dir.
// It is nil if nothing is replaced.
func Keep(dir string, replace map[string]string) (*Files, error) {
	if len(replace) == 0 {
		return nil, nil
	}
	texts := map[string][]byte{}
	for path, by := range replace {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("the overlay replaces %s: give an absolute path", path)
		}
		texts[filepath.Clean(path)] = nil
		if by == "" {
			continue
		}
		text, err := os.ReadFile(by)
		if err != nil {
			return nil, fmt.Errorf("the overlay's text of %s: %w", path, err)
		}
		texts[filepath.Clean(path)] = append([]byte{}, text...)
	}
	return keep(dir, texts)
}

// Including is the overlay with more files, by absolute path: their texts, nil
// for those that are to be seen as deleted. Copies go to dir.
func (f *Files) Including(dir string, more map[string][]byte) (*Files, error) {
	texts := map[string][]byte{}
	if f != nil {
		for path := range f.replace {
			texts[path] = f.texts[path]
		}
	}
	maps.Copy(texts, more)
	return keep(dir, texts)
}

// keep writes the copies of texts; nil is a deleted file.
func keep(dir string, texts map[string][]byte) (*Files, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("keep the overlay's texts: %w", err)
	}
	f := &Files{dir: dir, replace: map[string]string{}, texts: map[string][]byte{}}
	var err error
	for path, text := range texts {
		f.replace[path] = ""
		if text == nil {
			continue
		}
		f.texts[path] = text
		if f.replace[path], err = f.write(text, path, "-"+filepath.Base(path)); err != nil {
			return nil, err
		}
	}
	f.desc, err = f.describe(f.replace)
	return f, err
}

// describe writes a description for the go command.
func (f *Files) describe(replace map[string]string) (string, error) {
	data, err := json.MarshalIndent(description{replace}, "", "\t")
	if err != nil {
		return "", err
	}
	return f.write(data, "", ".json")
}

// write stores the text of a path under a name made of both. One that is there
// already is made young, for old ones are removed one day.
func (f *Files) write(text []byte, path, ending string) (string, error) {
	sum := sha256.Sum256([]byte(path + "\x00" + string(text)))
	name := filepath.Join(f.dir, hex.EncodeToString(sum[:12])+ending)
	now := time.Now()
	if os.Chtimes(name, now, now) == nil {
		return name, nil
	}
	if err := atomicfile.WriteCache(name, text); err != nil {
		return "", fmt.Errorf("keep the overlay's texts: %w", err)
	}
	return name, nil
}

// Description is the file to give to the go command, "" for none. Equal
// overlays have equal names.
func (f *Files) Description() string {
	if f == nil {
		return ""
	}
	return f.desc
}

// Flags are the build flags of a go command that needs no other overlay.
func (f *Files) Flags() []string {
	if f == nil {
		return nil
	}
	return []string{"-overlay=" + f.desc}
}

// Add enters the overlay into replace, which holds another one for the same
// build. It is an error if both have the same path.
func (f *Files) Add(replace map[string]string) error {
	if f == nil {
		return nil
	}
	for path, by := range f.replace {
		if _, both := replace[path]; both {
			return fmt.Errorf("the overlay replaces %s, which hocket edits for itself; leave it out", path)
		}
		replace[path] = by
	}
	return nil
}

// With is the description of another overlay with this one added to it.
func (f *Files) With(desc string) (string, error) {
	if f == nil {
		return desc, nil
	}
	data, err := os.ReadFile(desc)
	if err != nil {
		return "", fmt.Errorf("read the overlay: %w", err)
	}
	var d description
	if err := json.Unmarshal(data, &d); err != nil {
		return "", fmt.Errorf("read the overlay %s: %w", desc, err)
	}
	if err := f.Add(d.Replace); err != nil {
		return "", err
	}
	return f.describe(d.Replace)
}

// Original is the path that a copy stands for, the path itself for others: the
// compiler's messages name copies.
func (f *Files) Original(path string) string {
	if f != nil && filepath.Dir(path) == filepath.Clean(f.dir) {
		for original, by := range f.replace {
			if by == path {
				return original
			}
		}
	}
	return path
}

// Has reports whether a path is replaced or deleted.
func (f *Files) Has(path string) bool {
	if f == nil {
		return false
	}
	_, ok := f.replace[filepath.Clean(path)]
	return ok
}

// Deleted reports whether a path is to be seen as deleted.
func (f *Files) Deleted(path string) bool {
	return f.Has(path) && f.replace[filepath.Clean(path)] == ""
}

// ReadFile is os.ReadFile as a build with the overlay sees the path.
func (f *Files) ReadFile(path string) ([]byte, error) {
	switch {
	case !f.Has(path):
		return os.ReadFile(path)
	case f.Deleted(path):
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return slices.Clone(f.texts[filepath.Clean(path)]), nil
}

// GoFiles are the Go files in the folder dir as a build sees them, sorted.
func (f *Files) GoFiles(dir string) []string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	if f == nil {
		return paths
	}
	paths = slices.DeleteFunc(paths, f.Deleted)
	for path, by := range f.replace {
		if by != "" && filepath.Dir(path) == filepath.Clean(dir) && strings.HasSuffix(path, ".go") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
