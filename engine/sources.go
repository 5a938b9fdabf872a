package engine

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
)

// sources are the texts that a package was built from. A search takes a minute,
// in which people go on typing: what is on disk when a finding is kept need not
// be what ran. The package's own files are read before its build; any other
// file counts only if it hasn't been changed since.
type sources struct {
	taken   time.Time
	overlay *overlay.Files    // of the build; its texts don't change
	dir     string            // of the package
	own     map[string]string // by absolute path; those whose text is sure
	listed  []string          // all that the package had
	built   sync.Once
}

func takeSources(dir string, o *overlay.Files) *sources {
	s := &sources{taken: time.Now(), overlay: o, dir: dir, own: map[string]string{}, listed: o.GoFiles(dir)}
	for _, path := range s.listed {
		if data, err := o.ReadFile(path); err == nil {
			s.own[path] = string(data)
		}
	}
	return s
}

// settle is called when the build has ended: which text it read of a file that
// was changed meanwhile, nobody knows.
func (s *sources) settle() {
	s.built.Do(func() {
		for path := range s.own {
			if !s.untouched(path) {
				delete(s.own, path)
			}
		}
	})
}

func (s *sources) untouched(path string) bool {
	if s.overlay.Has(path) {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && !st.ModTime().After(s.taken)
}

// text is what the program was built from; not ok if that isn't sure.
func (s *sources) text(path string) (string, bool) {
	if t, ok := s.own[path]; ok {
		return t, true
	}
	data, err := s.overlay.ReadFile(path)
	if err != nil || !s.untouched(path) {
		return "", false
	}
	return string(data), true
}

// frozen is the overlay for further builds of the package: people go on typing
// and saving, and a build of what they saved meanwhile says nothing about the
// failure that was found.
func (s *sources) frozen(copies string) (*overlay.Files, error) {
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
	return s.overlay.Including(copies, changed)
}

// read is text for those who read files.
func (s *sources) read(path string) ([]byte, error) {
	if t, ok := s.text(path); ok {
		return []byte(t), nil
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("what the program was built from is not known")}
}

// sums are those of the sources that a finding in the package of dir belongs
// to. A file that counted as deleted is none of them.
func (s *sources) sums(roots site.Roots, dir string, f *report.Finding) store.Sums {
	files := filesOf(f)
	for _, path := range s.overlay.GoFiles(dir) {
		files = append(files, roots.Name(path)) // some are not on disk
	}
	sums := store.SumOf(roots, dir, files, s.text)
	maps.DeleteFunc(sums, func(name, _ string) bool { return s.overlay.Deleted(roots.Abs(name)) })
	return sums
}

// texts are those of the named files, for the store.
func (s *sources) texts(roots site.Roots, names []string) store.Texts {
	texts := store.Texts{}
	for _, name := range names {
		if t, ok := s.text(roots.Abs(name)); ok {
			texts[name] = t
		}
	}
	return texts
}

// sourcesOf are the sources of the package in dir, read at its first target:
// all its targets run in one build.
func (s *session) sourcesOf(dir string) *sources {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read[dir] == nil {
		s.read[dir] = takeSources(dir, s.overlay)
	}
	return s.read[dir]
}

// shownFiles lists the sources that a finding and its explanation name, std
// left out: editors show lines of all of them.
func shownFiles(f *report.Finding, p *projection.Projection) []string {
	files := filesOf(f)
	for _, b := range f.Blocked {
		files = append(files, b.File)
	}
	for _, n := range f.Necessity {
		files = append(files, n.Place.File)
	}
	if p != nil {
		for _, r := range p.Rows {
			files = append(files, r.File)
		}
	}
	return inOrder(files)
}
