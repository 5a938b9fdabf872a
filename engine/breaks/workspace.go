package breaks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/breaks/inject"
	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
)

// workspace holds the texts in which the places of breakpoints are.
type workspace struct {
	root  string // of the module
	dir   string // absolute; relative places start here
	flags target.Flags
	texts map[string]string // not saved, by absolute path
	roots site.Roots
}

func newWorkspace(root, dir string, flags target.Flags, texts map[string]string) *workspace {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = root
	}
	return &workspace{root: root, dir: abs, flags: flags, texts: build.Aliased(texts, root), roots: target.RootsOf(root)}
}

func (w *workspace) read(path string) ([]byte, error) {
	if text, ok := w.texts[path]; ok {
		return []byte(text), nil
	}
	return os.ReadFile(path)
}

// find says where the sides of a breakpoint are.
func (w *workspace) find(b *breakfile.Breakpoint) []Side {
	var sides []Side
	for _, p := range b.Places {
		sides = append(sides, w.locate(p))
	}
	return sides
}

func (w *workspace) locate(p breakfile.Place) Side {
	if p.File == "" {
		return Side{Place: p, Lost: "it names no file"}
	}
	side := Side{Place: p, Path: w.roots.Abs(p.File)}
	src, err := w.read(side.Path)
	if err == nil {
		if side.Location, err = breakfile.Locate(p, src); err == nil {
			return side
		}
	}
	// Perhaps it was moved to another file of the package.
	file, at, err := breakfile.LocateIn(p, w.pkg(p.File))
	if err != nil {
		side.Lost = err.Error()
		if errors.Is(missing(side.Path, w), fs.ErrNotExist) {
			side.Path = ""
		}
		return side
	}
	side.Path, side.Location, side.file = w.roots.Abs(file), at, file
	return side
}

// ReadTexts reads a file as go build -overlay takes it, for the Overlay of
// AddOptions and EditOptions, and for Breaks.
func ReadTexts(file string) (map[string]string, error) {
	replace, err := overlay.Parse(file)
	if err != nil {
		return nil, err
	}
	return overlay.Texts(replace)
}

func missing(path string, w *workspace) error {
	if _, ok := w.texts[path]; ok {
		return nil
	}
	_, err := os.Stat(path)
	return err
}

// pkg reads the Go files in the folder of a named file, by their names.
func (w *workspace) pkg(name string) map[string][]byte {
	dir := filepath.Dir(w.roots.Abs(name))
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for p := range w.texts {
		if filepath.Dir(p) == dir && strings.HasSuffix(p, ".go") {
			paths = append(paths, p)
		}
	}
	out := map[string][]byte{}
	for _, p := range paths {
		if src, err := w.read(p); err == nil {
			out[path.Join(path.Dir(name), filepath.Base(p))] = src
		}
	}
	return out
}

// renew takes fingerprints of the current text for sides that are found
// unchanged, and, if accept is set, for those that have changed.
func (w *workspace) renew(b *breakfile.Breakpoint, sides []Side, accept bool) []breakfile.Place {
	places := slices.Clone(b.Places)
	for i, s := range sides {
		if s.Lost != "" || s.Location.Changed && !accept {
			continue
		}
		src, err := w.read(s.Path)
		if err != nil {
			continue
		}
		if p, err := breakfile.Fingerprint(src, w.roots.Name(s.Path), s.Location.Line, s.Location.Column); err == nil {
			places[i] = places[i].Renewed(p)
		}
	}
	return places
}

// checkCondition type-checks a condition at the sides.
func (w *workspace) checkCondition(ctx context.Context, condition string, sides []Side) error {
	if condition == "" {
		return nil
	}
	env, err := target.LoadEnv(ctx, w.root)
	if err != nil {
		return err
	}
	sc := inject.Scope{Dir: w.root, Flags: w.flags.List(), Env: env.Extra}
	if w.flags.Mod != "" {
		sc.Flags = append(sc.Flags, "-mod="+w.flags.Mod)
	}
	if sc.Overlay, err = w.overlay(); err != nil {
		return err
	}
	var at []inject.Side
	for i, s := range sides {
		if s.Lost != "" {
			return fmt.Errorf("the condition can't be checked, since side %d is lost: %s; remove the breakpoint and set it again", i+1, s.Lost)
		}
		l := s.Location
		at = append(at, inject.Side{File: s.Path, Name: fmt.Sprintf("%s:%d", w.roots.Name(s.Path), l.Line),
			Line: l.Line, Col: l.Column, Func: l.Func})
	}
	return inject.CheckCondition(ctx, sc, at, condition)
}

// overlay returns the unsaved texts in the form for builds.
func (w *workspace) overlay() (*overlay.Files, error) {
	if len(w.texts) == 0 {
		return nil, nil
	}
	dir, err := build.UnsavedDir()
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for path, text := range w.texts {
		texts[path] = append([]byte{}, text...)
	}
	var none *overlay.Files
	return none.Including(dir, texts)
}

// side makes a side of an argument, "file.go:LINE" or "file.go:LINE:COLUMN".
func (w *workspace) side(ctx context.Context, arg string) (*Side, error) {
	name, line, col, err := splitPlace(arg)
	if err != nil {
		return nil, err
	}
	file := w.path(name)
	src, err := w.read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no file %s; paths are relative to the current folder, as for go build", arg, name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; name a Go file", arg, err)
	}
	if err := w.checkInBuild(ctx, arg, file, src); err != nil {
		return nil, err
	}
	p, err := breakfile.Fingerprint(src, w.roots.Name(file), line, col)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	at, err := breakfile.Locate(p, src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	return &Side{Place: p, Path: file, Location: at}, nil
}

var (
	placeForm = regexp.MustCompile(`^(.+?\.go):(\d+)(?::(\d+))?$`)
	otherForm = regexp.MustCompile(`^(.*\.[^/\\:.]+):\d+(?::\d+)?$`)
)

func splitPlace(arg string) (file string, line, col int, err error) {
	m := placeForm.FindStringSubmatch(arg)
	if other := otherForm.FindStringSubmatch(arg); m == nil && other != nil {
		return "", 0, 0, fmt.Errorf("%s: %s is not a Go file; write FILE.go:LINE; if a //line comment names this file, name the generated file", arg, other[1])
	}
	if m == nil {
		return "", 0, 0, fmt.Errorf("invalid location %q: write FILE.go:LINE or FILE.go:LINE:COLUMN", arg)
	}
	line, err = strconv.Atoi(m[2])
	if err == nil && m[3] != "" {
		if col, err = strconv.Atoi(m[3]); err == nil && col == 0 {
			return "", 0, 0, fmt.Errorf("%s: columns start at 1", arg)
		}
	}
	if err != nil {
		return "", 0, 0, fmt.Errorf("%s: a line or column number is too large", arg)
	}
	return m[1], line, col, nil
}

// path of a named file: relative to the current folder, absolute, or
// "module@version/path". A path that leads to the module through a symbolic
// link is that in the module.
func (w *workspace) path(name string) string {
	file := filepath.FromSlash(name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(w.dir, file)
		if missing(file, w) != nil && strings.Contains(name, "@") {
			return w.roots.Abs(name)
		}
	}
	file = filepath.Clean(file)
	if _, inside := relativeTo(w.root, file); inside {
		return file
	}
	real, err1 := filepath.EvalSymlinks(file)
	root, err2 := filepath.EvalSymlinks(w.root)
	if err1 == nil && err2 == nil {
		if rel, inside := relativeTo(root, real); inside {
			return filepath.Join(w.root, rel)
		}
	}
	return file
}

func relativeTo(root, file string) (string, bool) {
	rel, err := filepath.Rel(root, file)
	return rel, err == nil && root != "" && filepath.IsLocal(rel)
}
