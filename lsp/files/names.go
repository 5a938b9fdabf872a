package files

import (
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Names are how a module calls its files, and those of others, in findings and
// breakpoints.
type Names interface {
	// Path is where a file of the name is, or would be.
	Path(name string) (path string, ok bool)
	// Name is what the file of a path is called.
	Name(path string) (name string, ok bool)
}

// Named is the text of a file by its name, as File is by its URI; nil if it is
// not ok.
func (s *Snapshot) Named(n Names, name string) (*File, bool) {
	path, ok := n.Path(name)
	if !ok {
		return nil, false
	}
	f, ok := s.File(protocol.FileURI(path))
	if !ok {
		return nil, false
	}
	return f, true
}

// Below reports whether a path is root, or in it.
func Below(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
