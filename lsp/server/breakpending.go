package server

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// pending is the first place of a breakpoint, which waits for the second. There
// is one in a session. Safe for concurrent use.
type pending struct {
	mu sync.Mutex
	at *statement // nil: none
}

// statement is a statement by its fingerprint, found in some text.
type statement struct {
	root  string // of the module that the breakpoint will belong to
	file  *files.File
	place breakfile.Place
	key   sideKey
	breakfile.Location
}

func (p *pending) set(s *statement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = s
}

// clear forgets a place, unless another one was set meanwhile.
func (p *pending) clear(s *statement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != nil && s != nil && p.at.key == s.key && p.at.file.Path == s.file.Path {
		p.at = nil
	}
}

func (p *pending) get() *statement {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// in is the pending place in the text of a view; not ok if there is none, or if
// it was deleted.
func (p *pending) in(v View) (*statement, bool) {
	s := p.get()
	if s == nil {
		return nil, false
	}
	return s.in(v)
}

func (s *statement) in(v View) (*statement, bool) {
	f, ok := v.File(s.file.URI)
	if !ok {
		return nil, false
	}
	if f == s.file {
		return s, true
	}
	l := locate(f, s.key, s.place)
	if l.lost != "" {
		return nil, false
	}
	now := *s
	now.file, now.Location = f, l.at
	return &now, true
}

func (s *statement) span() protocol.Range {
	m := s.file.Mapper()
	return protocol.Range{Start: m.GoPosition(s.Line, s.Column), End: m.GoPosition(s.EndLine, s.EndColumn)}
}

func (s *statement) wire() *protocol.PendingBreakpoint {
	return &protocol.PendingBreakpoint{URI: s.file.URI, Range: s.span(), Text: s.text()}
}

func (s *statement) text() string {
	if s.Text != "" {
		return s.Text
	}
	return s.place.Text
}

// words are the statement for people: "p.x = 10" (a.go:12).
func (s *statement) words() string {
	return fmt.Sprintf("%q (%s:%d)", present.Clip(oneLine(s.text()), 40), filepath.Base(s.file.Path), s.Line)
}

// arg is the statement as "hocket break add" takes it.
func (s *statement) arg() string { return fmt.Sprintf("%s:%d:%d", s.file.Path, s.Line, s.Column) }

// statementAt is the statement at a line and column of a text; the first one of
// the line if there is none at the column.
func statementAt(f *files.File, name string, line, column int) (*statement, error) {
	text := parsed(f)
	p, err := text.Fingerprint(name, line, column)
	if err != nil {
		if p, err = text.Fingerprint(name, line, 0); err != nil {
			return nil, err
		}
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	s := &statement{file: f, place: p, key: sideKey(raw)}
	l := locate(f, s.key, p)
	if l.lost != "" {
		return nil, fmt.Errorf("the statement at line %d can't be told from others: %s", line, l.lost)
	}
	s.Location = l.at
	return s, nil
}

// statementOf is the statement that a command's arguments point at.
func (s *Server) statementOf(command string, v View, uri string, at *position) (*statement, error) {
	if uri == "" || at == nil {
		return nil, invalid(command, "the place is missing: it needs uri and position")
	}
	where, err := s.placeOf(command, v, uri)
	if err != nil {
		return nil, err
	}
	point, err := at.at(command)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(where.path, ".go") {
		return nil, invalid(command, "%s is no Go file", where.path)
	}
	f, ok := v.Files.File(where.uri)
	if !ok {
		return nil, invalid(command, "%s can't be read; close it and open it again", where.path)
	}
	line, column := f.Mapper().GoLineColumn(f.Mapper().Offset(point))
	home := s.homeOf(where)
	found, err := statementAt(f, nameBelow(home, f.Path), line, column)
	if err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %s", command, oneLine(err.Error()))
	}
	found.root = home
	return found, nil
}

func nameBelow(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// homeOf is the module whose file of breakpoints a document counts for: its own,
// or for the source of a dependency that of the pending place, or the only one
// that is open. Breakpoints are never kept in the module cache.
func (s *Server) homeOf(at place) string {
	if !dependency(at.root) {
		return at.root
	}
	if p := s.pending.get(); p != nil {
		return p.root
	}
	var own []string
	for _, m := range s.Modules() {
		if !dependency(m.Root()) {
			own = append(own, m.Root())
		}
	}
	if len(own) == 1 {
		return own[0]
	}
	return at.root
}

// dependency reports whether a module lies in the module cache.
func dependency(root string) bool { return strings.Contains(filepath.Base(root), "@") }

// unplaced says in one line why a pending place can't be paired.
func (s *Server) unplaced(command string) error {
	if p := s.pending.get(); p != nil {
		return protocol.Errorf(protocol.RequestFailed, "%s: the first place, %s, is not in the text any more; set it again (hocket.break.set)", command, p.words())
	}
	return protocol.Errorf(protocol.RequestFailed, "%s: there is no first place yet; put the cursor on it and choose \"concurrent breakpoint here\" (hocket.break.set), or give with", command)
}
