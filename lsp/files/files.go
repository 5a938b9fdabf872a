// Package files keeps the documents that a client has open, and reads those
// that it has not from the disk.
//
// Invariants:
//   - A File and a Snapshot never change. An edit makes a new File in a new
//     Snapshot, so whoever holds one sees the documents as they were when it
//     was taken, without a lock.
//   - A document whose edits did not fit its text is Broken: its text is not
//     what the client shows, so nothing is said about it until the client sends
//     the whole text, or closes and opens it.
//   - Only documents that are files on this machine have a path; others
//     (untitled:, git:, vscode-notebook-cell:) are kept and never sought on disk.
package files

import (
	"sync"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// File is one text of one document.
type File struct {
	URI     protocol.URI // as the client spells it, for documents that it opened
	Path    string       // cleaned and absolute; "" if it is not a file on this machine
	Open    bool         // the client edits it, so the text need not be that on disk
	Version int32        // as the client counts; 0 if not open
	Text    string
	Broken  bool // see the package's invariants

	enc    protocol.Encoding
	once   sync.Once
	mapper *protocol.Mapper
	known  sync.Map // by key: what Derived made
}

func newFile(uri protocol.URI, text string, enc protocol.Encoding) *File {
	path, _ := protocol.Path(uri)
	return &File{URI: uri, Path: path, Text: text, enc: enc}
}

// Mapper converts positions in the text. It is made when first asked for.
func (f *File) Mapper() *protocol.Mapper {
	f.once.Do(func() {
		if f.mapper == nil {
			f.mapper = protocol.NewMapper(f.Text, f.enc)
		}
	})
	return f.mapper
}

// Derived returns what make makes of the text, made once for each key and kept
// as long as the text is. Keys are compared with ==; types of their own keep
// packages apart.
func (f *File) Derived(key any, make func() any) any {
	once, _ := f.known.LoadOrStore(key, sync.OnceValue(make))
	return once.(func() any)()
}

// Snapshot is the set of open documents at one moment, with the way to all
// other files.
type Snapshot struct {
	open map[protocol.URI]*File // by protocol.SameDocument
	disk *disk
}

// Opened returns an open document that is not broken.
func (s *Snapshot) Opened(uri protocol.URI) (*File, bool) {
	f := s.open[protocol.SameDocument(uri)]
	return f, f != nil && !f.Broken
}

// File returns the text that a URI has for the user: what is open, else what is
// on disk. It is not ok if there is none, or a broken one.
func (s *Snapshot) File(uri protocol.URI) (*File, bool) {
	if f := s.open[protocol.SameDocument(uri)]; f != nil {
		return f, !f.Broken
	}
	path, ok := protocol.Path(uri)
	if !ok {
		return nil, false
	}
	return s.disk.read(path)
}

// All calls yield with the open documents, broken ones too, in no order.
func (s *Snapshot) All(yield func(*File) bool) {
	for _, f := range s.open {
		if !yield(f) {
			return
		}
	}
}
