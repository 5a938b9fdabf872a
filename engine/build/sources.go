package build

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/overlay"
)

// Sources are the texts that a package was built from. A search takes a minute,
// during which users go on editing: the files on disk when a finding is stored
// need not be those that ran. The package's own files are read before its
// build; any other file counts only if it hasn't been changed since.
type Sources struct {
	taken   time.Time
	overlay *overlay.Files    // of the build; its texts don't change
	dir     string            // of the package
	own     map[string]string // by absolute path; those whose text is sure
	listed  []string          // all that the package had
	built   sync.Once
}

// TakeSources reads the texts of the package in dir, with those of an overlay in
// their places. Call it before the build.
func TakeSources(dir string, o *overlay.Files) *Sources {
	s := &Sources{taken: time.Now(), overlay: o, dir: dir, own: map[string]string{}, listed: o.GoFiles(dir)}
	for _, path := range s.listed {
		if data, err := o.ReadFile(path); err == nil {
			s.own[path] = string(data)
		}
	}
	return s
}

// Settle is called when the build has ended. It drops files that were changed
// meanwhile: it is not known which text of them the build read.
func (s *Sources) Settle() {
	s.built.Do(func() {
		for path := range s.own {
			if !s.untouched(path) {
				delete(s.own, path)
			}
		}
	})
}

func (s *Sources) untouched(path string) bool {
	if s.overlay.Has(path) {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && !st.ModTime().After(s.taken)
}

// Text returns the text that the program was built from; ok is false if that is
// not certain.
func (s *Sources) Text(path string) (string, bool) {
	if t, ok := s.own[path]; ok {
		return t, true
	}
	data, err := s.overlay.ReadFile(path)
	if err != nil || !s.untouched(path) {
		return "", false
	}
	return string(data), true
}

// Frozen returns the overlay for further builds of the package: users go on
// editing and saving, and a build of what they saved meanwhile says nothing
// about the failure that was found.
func (s *Sources) Frozen() (*overlay.Files, error) {
	changed := map[string][]byte{}
	for path, text := range s.own {
		if now, err := s.overlay.ReadFile(path); err != nil || string(now) != text {
			changed[path] = []byte(text)
		}
	}
	for _, path := range s.overlay.GoFiles(s.dir) {
		if !slices.Contains(s.listed, path) {
			changed[path] = nil // came later
		}
	}
	if len(changed) == 0 {
		return s.overlay, nil
	}
	copies, err := UnsavedDir()
	if err != nil {
		return nil, err
	}
	return s.overlay.Including(copies, changed)
}

// Read returns the text of a file, as os.ReadFile does.
func (s *Sources) Read(path string) ([]byte, error) {
	if t, ok := s.Text(path); ok {
		return []byte(t), nil
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("what the program was built from is not known")}
}

// Files are the Go files of the package, by absolute path.
func (s *Sources) Files() []string { return s.listed }

// Overlay returns the overlay of the build, nil if there is none.
func (s *Sources) Overlay() *overlay.Files { return s.overlay }
