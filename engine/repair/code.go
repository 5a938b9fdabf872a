package repair

import (
	"context"
	"go/ast"
	"go/token"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/report"
)

// Code are the sources around a problem, with types.
type Code struct {
	*program.Loaded
	overlay *overlay.Files
	texts   map[string][]byte
}

// Load reads the packages, with their tests, as a build with the overlay sees them.
func Load(ctx context.Context, dir string, patterns, flags, env []string, o *overlay.Files) (*Code, error) {
	loaded, err := program.Load(ctx, program.Source{Dir: dir, Patterns: patterns, Flags: append(o.Flags(), flags...), Env: env})
	if err != nil {
		return nil, err
	}
	return &Code{Loaded: loaded, overlay: o, texts: map[string][]byte{}}, nil
}

// Text is the text of a file as it was read, nil if there is none.
func (c *Code) Text(file string) []byte {
	if t, ok := c.texts[file]; ok {
		return t
	}
	t, err := c.overlay.ReadFile(file)
	if err != nil {
		t = nil
	}
	c.texts[file] = t
	return t
}

// file is the syntax of a file by its absolute name, and its package.
func (c *Code) file(name string) (*program.Package, *ast.File) {
	for _, p := range c.Packages {
		for _, f := range p.Files {
			if c.Fset.Position(f.FileStart).Filename == name || sameFile(c.Fset.Position(f.FileStart).Filename, name) {
				return p, f
			}
		}
	}
	return nil, nil
}

// sameFile: a module may be reached by a symbolic link.
func sameFile(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// name is the absolute name of the file that holds a position; line its line there.
// Both ignore //line directives: edits are of the file itself.
func (c *Code) name(p token.Pos) string { return c.Fset.PositionFor(p, false).Filename }
func (c *Code) line(p token.Pos) int    { return c.Fset.PositionFor(p, false).Line }
func (c *Code) offset(p token.Pos) int  { return c.Fset.PositionFor(p, false).Offset }

// source is the text of a node.
func (c *Code) source(n ast.Node) string {
	t := c.Text(c.name(n.Pos()))
	from, to := c.offset(n.Pos()), c.offset(n.End())
	if from < 0 || to > len(t) || from > to {
		return ""
	}
	return string(t[from:to])
}

// indent is the white space before the first character of the line of a position.
func (c *Code) indent(p token.Pos) string {
	t := c.Text(c.name(p))
	from := c.lineStart(p)
	to := from
	for to < len(t) && (t[to] == '\t' || t[to] == ' ') {
		to++
	}
	return string(t[from:to])
}

// lineStart is the offset of the line of a position; lineEnd that of its end, before
// the line end.
func (c *Code) lineStart(p token.Pos) int {
	t, at := c.Text(c.name(p)), c.offset(p)
	for at > 0 && at <= len(t) && t[at-1] != '\n' {
		at--
	}
	return at
}

func (c *Code) lineEnd(p token.Pos) int {
	t, at := c.Text(c.name(p)), c.offset(p)
	for at < len(t) && t[at] != '\n' {
		at++
	}
	if at > 0 && at < len(t) && t[at-1] == '\r' {
		at--
	}
	return at
}

// withComments is where a node starts with the comments right above it.
func (c *Code) withComments(n ast.Node) token.Pos {
	at := n.Pos()
	_, f := c.file(c.name(at))
	if f == nil {
		return at
	}
	for i := len(f.Comments) - 1; i >= 0; i-- {
		g := f.Comments[i]
		if g.End() <= at && c.line(g.End()) == c.line(at)-1 && c.lineStart(g.Pos()) == c.offset(g.Pos())-len(c.indent(g.Pos())) {
			at = g.Pos()
		}
	}
	return at
}

// Patterns are the import paths of the packages that a finding's root cause is in.
func Patterns(f *report.Finding) []string {
	list := []string{f.Package}
	add := func(fn string) {
		if p := packageOf(fn); p != "" && p != "main" && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for _, a := range f.RootCause {
		if strings.HasPrefix(a.File, "std/") {
			continue
		}
		add(a.Func)
		if a.Call != nil {
			add(a.Call.Func)
		}
	}
	return list
}

// packageOf is the import path in a function's name, as the linker writes it.
func packageOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	dot := strings.IndexByte(fn[slash:], '.')
	if dot < 0 {
		return ""
	}
	path, err := url.PathUnescape(fn[:slash+dot])
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, "_test")
}
