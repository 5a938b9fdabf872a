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
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// findingFor is the finding that a command's arguments name, else the surest one at
// the place that they point at.
func (s *Server) findingFor(ctx context.Context, command string, v View, id, uri string, position *position) (*Module, *engine.Stored, error) {
	if id != "" {
		return s.lookUp(ctx, command, v, uri, id)
	}
	m, items, err := s.itemsFor(ctx, command, v, uri, position)
	if err != nil {
		return nil, nil, err
	}
	return m, items[0].Stored, nil
}

// itemsFor are the findings at a place, surest first; there is at least one.
func (s *Server) itemsFor(ctx context.Context, command string, v View, uri string, position *position) (*Module, []*present.Item, error) {
	at, err := s.placeOf(command, v, uri)
	if err != nil {
		return nil, nil, err
	}
	point, err := position.at(command)
	if err != nil {
		return nil, nil, err
	}
	f, ok := v.Files.File(at.uri)
	if !ok {
		return nil, nil, invalid(command, "%s can't be read; close it and open it again", at.path)
	}
	line, _ := f.Mapper().GoLineColumn(f.Mapper().Offset(point))
	m := s.workspace.modules.open(at.root)
	m.read()
	items := s.itemsAt(ctx, v, m, at, line, f.Text)
	if len(items) == 0 {
		return nil, nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no finding at line %d of %s; hocket.list lists the findings", command, line, filepath.Base(at.path))
	}
	return m, items, nil
}

// lookUp returns the finding of an id, or of the beginning of one, in the module
// of a file or, without one, in all that are open.
func (s *Server) lookUp(ctx context.Context, command string, v View, uri, id string) (*Module, *engine.Stored, error) {
	ms := s.Modules()
	if uri != "" {
		at, err := s.placeOf(command, v, uri)
		if err != nil {
			return nil, nil, err
		}
		ms = []*Module{s.workspace.modules.open(at.root)}
	}
	var hits []*engine.Stored
	var of *Module
	for _, m := range ms {
		m.read() // found a moment ago counts
		for _, f := range m.Findings(ctx).All {
			switch {
			case f.Finding.ID == id:
				return m, f, nil
			case strings.HasPrefix(f.Finding.ID, id):
				of, hits = m, append(hits, f)
			}
		}
	}
	switch len(hits) {
	case 0:
		return nil, nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no finding %s in %s; hocket.list lists those that exist", command, id, rootsOf(ms))
	case 1:
		return of, hits[0], nil
	}
	return nil, nil, invalid(command, "id %s is ambiguous: the ids of %d findings start with it; give more characters", id, len(hits))
}

func rootsOf(ms []*Module) string {
	if len(ms) == 0 {
		return "any module, since none is open"
	}
	var roots []string
	for _, m := range ms {
		roots = append(roots, m.Root())
	}
	return strings.Join(roots, ", ")
}

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
