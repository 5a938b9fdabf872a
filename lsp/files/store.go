package files

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Store holds the newest snapshot. Documents are changed by one goroutine, in
// the order of the client's messages; Snapshot may be called by any.
type Store struct {
	mu  sync.Mutex // for those who change
	now atomic.Pointer[Snapshot]
	enc protocol.Encoding
}

// NewStore makes a store without documents.
func NewStore() *Store {
	s := &Store{}
	s.now.Store(&Snapshot{open: map[protocol.URI]*File{}, disk: newDisk()})
	return s
}

// SetEncoding says what the columns of the client count. It is called once,
// before any document is opened.
func (s *Store) SetEncoding(e protocol.Encoding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enc = e
	s.now.Load().disk.setEncoding(e)
}

// Snapshot is the documents as they are now.
func (s *Store) Snapshot() *Snapshot { return s.now.Load() }

// update puts f in the place of a document, or removes it if f is nil.
func (s *Store) update(uri protocol.URI, f *File) {
	old := s.now.Load()
	open := maps.Clone(old.open)
	if f == nil {
		delete(open, uri)
	} else {
		open[uri] = f
	}
	s.now.Store(&Snapshot{open: open, disk: old.disk})
}

// Open adds a document. Opened again, it has the new text.
func (s *Store) Open(uri protocol.URI, version int32, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := newFile(uri, text, s.enc)
	f.Open, f.Version = true, version
	s.update(protocol.SameDocument(uri), f)
}

// Close removes a document; its text on disk counts again.
func (s *Store) Close(uri protocol.URI) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := protocol.SameDocument(uri)
	if s.now.Load().open[id] == nil {
		return fmt.Errorf("close %s: %w", uri, errNotOpen)
	}
	s.update(id, nil)
	return nil
}

// Saved checks a text that came with a save; it must be that of the document.
// "" stands for none.
func (s *Store) Saved(uri protocol.URI, text *string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := protocol.SameDocument(uri)
	f := s.now.Load().open[id]
	switch {
	case f == nil:
		return fmt.Errorf("save %s: %w", uri, errNotOpen)
	case text == nil || *text == f.Text && !f.Broken:
		return nil
	}
	n := newFile(f.URI, *text, s.enc)
	n.Open, n.Version = true, f.Version
	s.update(id, n)
	if f.Broken {
		return nil
	}
	return fmt.Errorf("save %s: the text saved is not the one edited; it is taken from now on", uri)
}

var (
	errNotOpen = errors.New("the document is not open")
	errBroken  = errors.New("an edit did not fit; waiting for the whole text")
)

// Change applies edits in their order. If one does not fit, or the version is
// not a later one, the document is broken from then on, which the
// error reports once; changes of a broken document without the whole text are ignored.
func (s *Store) Change(uri protocol.URI, version int32, edits []protocol.TextDocumentContentChangeEvent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := protocol.SameDocument(uri)
	old := s.now.Load().open[id]
	if old == nil {
		return fmt.Errorf("change %s: %w", uri, errNotOpen)
	}
	edits, whole := sinceWhole(edits)
	n := newFile(old.URI, old.Text, s.enc)
	n.Open, n.Version, n.Broken = true, version, old.Broken && !whole
	switch {
	case n.Broken:
		n.Version = max(version, old.Version)
		s.update(id, n)
		return nil
	case version <= old.Version && !whole:
		n.Version, n.Broken = old.Version, true
		s.update(id, n)
		return fmt.Errorf("change %s: version %d after %d: %w", uri, version, old.Version, errBroken)
	}
	m, err := apply(old, edits, s.enc)
	if err != nil {
		n.Broken = true
		s.update(id, n)
		return fmt.Errorf("change %s to version %d: %w: %w", uri, version, err, errBroken)
	}
	n.Text, n.mapper = m.Text(), m
	s.update(id, n)
	return nil
}

// sinceWhole drops the edits before the last one that brings the whole text.
func sinceWhole(edits []protocol.TextDocumentContentChangeEvent) (rest []protocol.TextDocumentContentChangeEvent, whole bool) {
	for i := len(edits) - 1; i >= 0; i-- {
		if _, ok := edits[i].(*protocol.TextDocumentContentChangeWholeDocument); ok {
			return edits[i:], true
		}
	}
	return edits, false
}

func apply(old *File, edits []protocol.TextDocumentContentChangeEvent, enc protocol.Encoding) (*protocol.Mapper, error) {
	var m *protocol.Mapper
	for _, e := range edits {
		switch e := e.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			m = protocol.NewMapper(e.Text, enc)
		case *protocol.TextDocumentContentChangePartial:
			if m == nil {
				m = old.Mapper()
			}
			if err := fits(m, e.Range); err != nil {
				return nil, err
			}
			m = m.Replace(m.Offset(e.Range.Start), m.Offset(e.Range.End), e.Text)
		default:
			return nil, fmt.Errorf("an edit of an unknown kind: %T", e)
		}
	}
	if m == nil {
		m = old.Mapper()
	}
	return m, nil
}

// fits accepts what the specification defines a meaning for, columns beyond the
// end of a line, and the line after the last one, which some editors name when
// they replace the end of a text.
func fits(m *protocol.Mapper, r protocol.Range) error {
	switch {
	case r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Character < r.Start.Character:
		return fmt.Errorf("an edit ends before it starts: %d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
	case uint64(r.End.Line) > uint64(m.Lines()):
		return fmt.Errorf("an edit of line %d of %d", r.End.Line+1, m.Lines())
	}
	return nil
}
