package breakview

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Statement is a statement by its fingerprint, found in a text.
type Statement struct {
	Root string // of the module that a breakpoint on it belongs to
	File *files.File
	breakfile.Location

	print breakfile.Place
	key   sideKey
}

// StatementAt is the statement at a line and column of a text; the first one of
// the line if there is none at the column. root is that of the module that a
// breakpoint on it belongs to.
func StatementAt(f *files.File, root string, line, column int) (*Statement, error) {
	text, name := parsed(f), nameBelow(root, f.Path)
	p, err := text.Fingerprint(name, line, column)
	if err != nil {
		if p, err = text.Fingerprint(name, line, 0); err != nil {
			return nil, err
		}
	}
	s := &Statement{Root: root, File: f, print: p, key: keyOf(p)}
	l := locate(f, s.key, p)
	if l.lost != "" {
		return nil, fmt.Errorf("the statement at line %d can't be told apart from others: %s", line, l.lost)
	}
	s.Location = l.at
	return s, nil
}

func nameBelow(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// In is the statement in the text of a snapshot; not ok if it is not there.
func (s *Statement) In(docs *files.Snapshot) (*Statement, bool) {
	f, ok := docs.File(s.File.URI)
	if !ok {
		return nil, false
	}
	if f == s.File {
		return s, true
	}
	l := locate(f, s.key, s.print)
	if l.lost != "" {
		return nil, false
	}
	now := *s
	now.File, now.Location = f, l.at
	return &now, true
}

// Same reports whether both are at the same place.
func (s *Statement) Same(o *Statement) bool {
	return s.File.Path == o.File.Path && s.Line == o.Line && s.Column == o.Column
}

// Range is where it is in its text.
func (s *Statement) Range() protocol.Range {
	m := s.File.Mapper()
	return protocol.Range{Start: m.GoPosition(s.Line, s.Column), End: m.GoPosition(s.EndLine, s.EndColumn)}
}

// Wire is the statement as it is sent to clients.
func (s *Statement) Wire() *protocol.PendingBreakpoint {
	return &protocol.PendingBreakpoint{URI: s.File.URI, Range: s.Range(), Text: s.text()}
}

func (s *Statement) text() string {
	if s.Text != "" {
		return s.Text
	}
	return s.print.Text
}

// String is the statement for users: "p.x = 10" (a.go:12).
func (s *Statement) String() string {
	return fmt.Sprintf("%q (%s:%d)", present.Clip(words.OneLine(s.text()), 40), filepath.Base(s.File.Path), s.Line)
}

// Arg is the statement as "hocket break add" takes it.
func (s *Statement) Arg() string { return fmt.Sprintf("%s:%d:%d", s.File.Path, s.Line, s.Column) }

// Pending is the first statement of a breakpoint, which waits for the second.
// There is one in a session. Safe for concurrent use.
type Pending struct {
	mu sync.Mutex
	at *Statement // nil: none
}

// Set replaces the pending statement.
func (p *Pending) Set(s *Statement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = s
}

// Clear forgets a statement, unless another one was set meanwhile.
func (p *Pending) Clear(s *Statement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != nil && s != nil && p.at.key == s.key && p.at.File.Path == s.File.Path {
		p.at = nil
	}
}

// Get is the pending statement as it was set, nil if there is none.
func (p *Pending) Get() *Statement {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// In is the pending statement in the text of a snapshot; not ok if there is none,
// or if it was deleted.
func (p *Pending) In(docs *files.Snapshot) (*Statement, bool) {
	s := p.Get()
	if s == nil {
		return nil, false
	}
	return s.In(docs)
}

// Home is the root of the module in whose file a breakpoint on a document is
// kept: the document's own, or for the source of a dependency that of the pending
// statement, or the only one among the open modules. Breakpoints are never kept
// in the module cache.
func Home(own string, p *Pending, open []string) string {
	if !Dependency(own) {
		return own
	}
	if first := p.Get(); first != nil {
		return first.Root
	}
	home := ""
	for _, root := range open {
		switch {
		case Dependency(root):
		case home != "":
			return own
		default:
			home = root
		}
	}
	if home == "" {
		return own
	}
	return home
}

// Dependency reports whether a module lies in the module cache.
func Dependency(root string) bool { return strings.Contains(filepath.Base(root), "@") }
