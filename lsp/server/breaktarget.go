package server

import (
	"context"
	"path/filepath"

	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
)

// breakTarget is what to run with which breakpoints.
type breakTarget struct {
	module    *Module
	dir       string // of the package
	entry, id string
}

func (t *breakTarget) what() string {
	if t.entry != "" {
		return t.entry
	}
	return "package " + filepath.Base(t.dir)
}

// flags select the entry and the breakpoint.
func (t *breakTarget) flags() (args []string) {
	if t.entry != "" && t.entry != mainEntry {
		args = append(args, "-run="+runExpression(t.entry))
	}
	if t.id != "" {
		args = append(args, "-id="+t.id)
	}
	return args
}

// mainEntry is the entry of a command.
const mainEntry = "main"

func (s *Server) breakTarget(ctx context.Context, command string, v View, uri, id, entry string) (*breakTarget, error) {
	t := &breakTarget{entry: entry}
	if id == "" {
		at, err := s.placeOf(command, v, uri)
		if err != nil {
			return nil, err
		}
		t.module, t.dir = s.breakHome(at), at.dir
		if breakview.Dependency(at.root) {
			t.dir = t.module.Root()
		}
		return t, nil
	}
	m, b, err := s.breakFor(ctx, command, v, id, uri, nil)
	if err != nil {
		return nil, err
	}
	t.module, t.id, t.dir = m, b.ID, m.Root()
	switch {
	case b.Package != "":
		t.dir = filepath.Join(m.Root(), filepath.FromSlash(dirBelow(modulePath(m.Root()), b.Package)))
	case uri != "":
		if at, err := s.placeOf(command, v, uri); err == nil && !breakview.Dependency(at.root) {
			t.dir = at.dir
		}
	default:
		t.dir = firstDir(m, b)
	}
	if entry == "" && b.Entry != "" {
		t.entry = b.Entry
	}
	return t, nil
}

// firstDir is the folder of the first side that lies in the module.
func firstDir(m *Module, b *present.Break) string {
	for i := range b.Places {
		if p := b.Places[i].Path; p != "" && files.Below(p, m.Root()) {
			return filepath.Dir(p)
		}
	}
	return m.Root()
}
