// Package place turns absolute source paths into the names that findings show
// and keep, and back.
//
// Invariants:
//   - A name never holds a path of this machine: it is relative to the main
//     module's root, "module@version/path" in a dependency of the module
//     cache, or "std/path" in the standard library.
//   - Abs(Name(p)) is p on the machine that made the name, and the same source
//     on another machine that has it.
//   - A path that belongs nowhere keeps its base name only (generated files,
//     files that a build moved away).
package place

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
)

// Roots are the folders that names are relative to. Empty ones are skipped.
type Roots struct {
	Module   string // root of the main module
	Goroot   string // GOROOT (its src holds std)
	ModCache string // GOMODCACHE
	Link     string // another folder by which builds may know GOROOT
}

const stdPrefix = "std/"

// Name returns the machine-independent name of an absolute path. Paths that
// are already relative come back unchanged, with slashes.
func (r Roots) Name(file string) string {
	if file == "" || !filepath.IsAbs(file) {
		return filepath.ToSlash(file)
	}
	// The module cache comes first: a downloaded toolchain lives in it, and a
	// cache may lie below the module.
	if rel, ok := below(r.src(), file); ok {
		return stdPrefix + rel
	}
	if r.Link != "" {
		if rel, ok := below(filepath.Join(r.Link, "src"), file); ok {
			return stdPrefix + rel
		}
	}
	if rel, ok := below(r.ModCache, file); ok {
		return unescape(rel)
	}
	if rel, ok := below(r.Module, file); ok {
		return rel
	}
	if r.Module != "" {
		// A replaced or workspace module beside the main one.
		if rel, err := filepath.Rel(r.Module, file); err == nil && strings.Count(rel, "..") <= 2 {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.Base(file)
}

// Abs finds the file that a name stands for. The file need not exist.
func (r Roots) Abs(name string) string {
	switch {
	case name == "" || filepath.IsAbs(name):
		return name
	case strings.HasPrefix(name, stdPrefix) && r.Goroot != "" && !exists(filepath.Join(r.Module, name)):
		return filepath.Join(r.src(), filepath.FromSlash(name[len(stdPrefix):]))
	case strings.Contains(name, "@") && r.ModCache != "":
		if p, ok := escape(name); ok {
			return filepath.Join(r.ModCache, filepath.FromSlash(p))
		}
	}
	return filepath.Join(r.Module, filepath.FromSlash(name))
}

// InMain reports whether a name lies in the main module.
func InMain(name string) bool {
	return !strings.HasPrefix(name, stdPrefix) && !strings.Contains(name, "@")
}

func (r Roots) src() string {
	if r.Goroot == "" {
		return ""
	}
	return filepath.Join(r.Goroot, "src")
}

func below(root, file string) (string, bool) {
	if root == "" {
		return "", false
	}
	rel, err := filepath.Rel(root, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// unescape undoes the module cache's "!x" for capital letters in the module
// path and version; the rest of the path is stored as it is.
func unescape(rel string) string {
	mod, vers, rest, ok := cut(rel)
	if !ok {
		return rel
	}
	if p, err := module.UnescapePath(mod); err == nil {
		mod = p
	}
	if v, err := module.UnescapeVersion(vers); err == nil {
		vers = v
	}
	return path.Join(mod+"@"+vers, rest)
}

func escape(name string) (string, bool) {
	mod, vers, rest, ok := cut(name)
	if !ok {
		return "", false
	}
	m, err := module.EscapePath(mod)
	if err != nil {
		return "", false
	}
	v, err := module.EscapeVersion(vers)
	if err != nil {
		return "", false
	}
	return path.Join(m+"@"+v, rest), true
}

func cut(name string) (mod, vers, rest string, ok bool) {
	mod, after, ok := strings.Cut(name, "@")
	if !ok {
		return "", "", "", false
	}
	vers, rest, _ = strings.Cut(after, "/")
	return mod, vers, rest, true
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
