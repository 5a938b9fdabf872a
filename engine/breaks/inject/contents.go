package inject

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hocket-dev/hocket/engine/instrument"
)

// contents lists what a program is built from. A breakpoint elsewhere in the
// module is not "never reached": the program is built without it.
type contents struct {
	target instrument.Target
	pkgs   []*listed         // of the user's code: the program, and what it imports
	real   map[string]string // folders without symbolic links
}

// contentsOf asks the go command for the contents of a program.
func (sc Scope) contentsOf(ctx context.Context, t instrument.Target) (*contents, error) {
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Dir,ForTest,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Standard"}
	if t.Test {
		args = append(args, "-test")
	}
	pkgs, err := sc.ask(ctx, append(append(append(args, sc.Flags...), sc.Overlay.Flags()...), "--", "."))
	if err != nil {
		return nil, err
	}
	c := &contents{target: t, real: map[string]string{}}
	for _, p := range pkgs {
		if !p.Standard && p.Dir != "" {
			c.pkgs = append(c.pkgs, p)
		}
	}
	return c, nil
}

// without says why the program is built without a side's file: "dep/main.go:
// its package is not part of it"; "" if it is built with it. A file of the
// standard library is not looked for.
func (c *contents) without(s Side) string {
	dir, base := c.folder(filepath.Dir(s.File)), filepath.Base(s.File)
	var here []*listed
	for _, p := range c.pkgs {
		if c.folder(p.Dir) != dir {
			continue
		}
		if slices.Contains(p.GoFiles, base) || slices.Contains(p.CgoFiles, base) {
			return ""
		}
		here = append(here, p)
	}
	return fileOf(s.Name) + ": " + c.why(s.File, here)
}

// why says why a file is not built although its package is.
func (c *contents) why(file string, here []*listed) string {
	base := filepath.Base(file)
	tests, ignored := false, false
	for _, p := range here {
		tests = tests || slices.Contains(p.TestGoFiles, base) || slices.Contains(p.XTestGoFiles, base)
		ignored = ignored || slices.Contains(p.IgnoredGoFiles, base)
	}
	switch {
	case ignored && ImportsC(file, nil):
		return "it imports \"C\", and cgo is off or a build constraint excludes it; set CGO_ENABLED=1 with a C compiler, or give -tags"
	case ignored:
		return "its build constraint or its name excludes it; give -tags, or set GOOS"
	case tests && c.folder(c.target.Dir) == c.folder(filepath.Dir(file)):
		return "it is a test, and the main function is run; select tests with -run"
	case tests:
		return "it is a test of another package"
	case len(here) > 0:
		return "the go command does not build it"
	}
	if built := c.instead(file); built != "" {
		return "the program is built from " + built + " instead"
	}
	return "its package is not part of it"
}

// ImportsC says whether a file is one of cgo's: the go command ignores those
// when cgo is off, as if a constraint had excluded them. src is as for
// parser.ParseFile; nil reads the file.
func ImportsC(file string, src any) bool {
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
	return err == nil && slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

// instead is the file of the same package that is built in place of one: a
// vendored copy, another version, a replacement.
func (c *contents) instead(file string) string {
	dir := filepath.Dir(file)
	for root := dir; filepath.Dir(root) != root; root = filepath.Dir(root) {
		data, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return ""
		}
		want := path.Join(modfile.ModulePath(data), filepath.ToSlash(rel))
		for _, p := range c.pkgs {
			if p.ImportPath == want {
				return shown(c.target.Dir, filepath.Join(p.Dir, filepath.Base(file)))
			}
		}
		return ""
	}
	return ""
}

// shown is a file by its name relative to dir if it is below its module.
func shown(dir, file string) string {
	for root := dir; filepath.Dir(root) != root; root = filepath.Dir(root) {
		if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
	}
	return file
}

func (c *contents) folder(dir string) string {
	if c.real[dir] == "" {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			real = filepath.Clean(dir)
		}
		c.real[dir] = real
	}
	return c.real[dir]
}

// fileOf is the file of a side's name, "dep/main.go:3".
func fileOf(name string) string {
	if i := strings.LastIndex(name, ":"); i > 0 {
		return name[:i]
	}
	return name
}

// outside says why the program is built without one of the sides, "" if it has
// all.
func (c *contents) outside(sides []Side) string {
	if c == nil { // nothing is known
		return ""
	}
	for _, s := range sides {
		if why := c.without(s); why != "" {
			return why
		}
	}
	return ""
}

// lostOutside is Lost of a breakpoint that the program is built without.
func lostOutside(why string) string { return fmt.Sprintf("not in this program (%s)", why) }
