package server

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/present"
)

// itemsAt are the findings that have something on a line, else those of the
// entry around it.
func (s *Server) itemsAt(ctx context.Context, v View, m *Module, at place, line int, text string) []*present.Item {
	view := s.placed(ctx, v, m)
	if name, err := filepath.Rel(m.Root(), at.path); err == nil {
		if items := view.On(filepath.ToSlash(name), line, line); len(items) > 0 {
			return items
		}
	}
	dir, err := filepath.Rel(m.Root(), at.dir)
	if err != nil {
		return nil
	}
	if dir == "." {
		dir = ""
	}
	for _, e := range engine.Outline(at.path, []byte(text)) {
		if e.Line <= line && line <= e.EndLine {
			return view.Of(filepath.ToSlash(dir), e.Name)
		}
	}
	return nil
}

// packageDir is the folder of a finding's package.
func packageDir(m *Module, f *engine.Finding) string {
	return filepath.Join(m.Root(), filepath.FromSlash(dirBelow(modulePath(m.Root()), f.Package)))
}

// dirBelow is the folder of a package below its module's root, "" for the root.
func dirBelow(module, pkg string) string {
	rest, ok := strings.CutPrefix(pkg, module)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(path.Clean("/"+rest), "/")
}

// modulePath is what go.mod says, "" if it can't be read.
func modulePath(root string) string {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return ""
	}
	return modfile.ModulePath(data)
}
