package server

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
)

// placements are the findings of each module placed in the texts of some
// moment. The newest of each module is kept, so that what is asked for between
// two edits is computed once. Safe for concurrent use.
type placements struct {
	mu     sync.Mutex
	byRoot map[string]*placement
}

func newPlacements() *placements { return &placements{byRoot: map[string]*placement{}} }

// placement is what is known of one module. A module that is forgotten and
// opened again goes on with it: what was seen here stays seen.
type placement struct {
	mu    sync.Mutex // held while a view is made
	cache *present.Cache
	seen  map[foundAt]bool // findings that were current at some time
	last  *placedView
}

// foundAt names one making of a finding: found again, it is another one.
type foundAt struct {
	id    string
	found time.Time
}

// placedView is a view with what it was made of.
type placedView struct {
	*present.View
	module   *Module
	findings *engine.Findings
	texts    map[string]*files.File // by name; nil for files that are not there
}

// placed are the findings of a module in the texts of a view. If ctx ends before
// the module's findings were read, there are none.
func (s *Server) placed(ctx context.Context, v View, m *Module) *placedView {
	found := m.Findings(ctx)
	if found == nil {
		return &placedView{View: present.NewView(nil, present.Source{}, nil), module: m}
	}
	p := s.placements.of(m.Root())
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.last; l != nil && l.module == m && l.findings == found && l.holds(v) {
		return l
	}
	p.last = p.place(v, m, found)
	return p.last
}

func (ps *placements) of(root string) *placement {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.byRoot[root]
	if p == nil {
		p = &placement{cache: present.NewCache(), seen: map[foundAt]bool{}}
		ps.byRoot[root] = p
	}
	return p
}

// holds reports whether all texts are those of the view.
func (l *placedView) holds(v View) bool {
	for name, f := range l.texts {
		if now, _ := v.Files.Named(l.module, name); now != f {
			return false
		}
	}
	return true
}

func (p *placement) place(v View, m *Module, found *engine.Findings) *placedView {
	out := &placedView{module: m, findings: found, texts: map[string]*files.File{}}
	text := func(name string) (string, bool) {
		f, ok := v.Files.Named(m, name)
		out.texts[name] = f
		if !ok {
			return "", false
		}
		return f.Text, true
	}
	path := modulePath(m.Root())
	known := make([]present.Known, 0, len(found.All))
	for _, s := range found.All {
		known = append(known, present.Known{Stored: s, Dir: dirBelow(path, s.Finding.Package), Seen: p.seen[foundAt{s.Finding.ID, s.Found}]})
	}
	out.View = present.NewView(known, present.Source{Text: text, Entry: func(k present.Known) (present.Entry, bool) {
		return entryIn(m.Root(), k, text)
	}}, p.cache)
	for _, it := range out.Items() {
		if it.State == present.Current {
			p.seen[foundAt{it.Finding.ID, it.Found}] = true
		}
	}
	return out
}

// known are the findings if they have been read already, else nil.
func (m *Module) known() *engine.Findings {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.findings
}

// Path is where a file of the given name is, or would be: those of the module
// itself may be open though they are no longer on disk.
func (m *Module) Path(name string) (string, bool) {
	if path, ok := m.Abs(name); ok {
		return path, true
	}
	if strings.HasPrefix(name, "std/") || strings.Contains(name, "@") || strings.HasPrefix(name, "<") || name == "" {
		return "", false
	}
	return filepath.Join(m.Root(), filepath.FromSlash(name)), true
}

// Name is the name that findings of a module have for a file.
func (m *Module) Name(path string) (string, bool) {
	rel, err := filepath.Rel(m.Root(), path)
	if err != nil {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// entryIn looks for the function of a finding in the files of its package.
func entryIn(root string, k present.Known, text func(name string) (string, bool)) (present.Entry, bool) {
	entry, _, _ := strings.Cut(k.Finding.Entry, "/")
	list, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(k.Dir)))
	if err != nil {
		return present.Entry{}, false
	}
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".go") || k.Main == strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		name := e.Name()
		if k.Dir != "" {
			name = k.Dir + "/" + name
		}
		src, ok := text(name)
		if !ok || !strings.Contains(src, "func "+entry+"(") {
			continue
		}
		for _, o := range engine.Outline(name, []byte(src)) {
			if o.Name == entry {
				return present.Entry{File: name, Line: o.Line}, true
			}
		}
	}
	return present.Entry{}, false
}
