package store

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
)

// The identity of a bug must outlive edits elsewhere in the file, so it is
// made of functions and the text of statements, never of line numbers; and it
// must outlive another search that met the bug by other accesses, so a stored
// finding that fails at the same place with half of the root cause in common
// is the same bug. A file is named as in its own module: the root of a workspace
// and its members see one bug.

// Identify sets the finding's id: that of the same bug among the known ones,
// otherwise a new one. The sources are read by read, from disk if it is nil.
func Identify(f *report.Finding, known []*Record, roots site.Roots, read func(path string) ([]byte, error)) {
	if read == nil {
		read = os.ReadFile
	}
	lines := sourceLines{roots: roots, read: read, files: map[string][]string{}, names: map[string]string{}}
	fresh := newID(f, &lines)
	f.ID = fresh
	for _, r := range known {
		if r.Finding.ID == fresh {
			return
		}
	}
	for _, r := range known {
		if same(r.Finding, f, &lines) {
			f.ID = r.Finding.ID
			return
		}
	}
}

func newID(f *report.Finding, lines *sourceLines) string {
	parts := append([]string{f.Package, f.Entry, f.Kind, f.Class}, causeKeys(f, lines)...)
	if len(f.RootCause) == 0 {
		parts = append(parts, key(f.Failure.File, f.Failure.Func, f.Failure.Line, lines))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// causeKeys are the distinct places of the root cause, sorted.
func causeKeys(f *report.Finding, lines *sourceLines) []string {
	set := map[string]bool{}
	for _, a := range f.RootCause {
		set[key(a.File, a.Func, a.Line, lines)+" "+a.Op] = true
	}
	var keys []string
	for k := range set {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func key(file, fn string, line int, lines *sourceLines) string {
	text := lines.text(file, line)
	if text == "" {
		text = strconv.Itoa(line)
	}
	return lines.inModule(file) + " " + fn + " " + text
}

func same(a, b *report.Finding, lines *sourceLines) bool {
	if a.Package != b.Package || a.Entry != b.Entry || a.Kind != b.Kind || a.Failure.Func != b.Failure.Func || lines.inModule(a.Failure.File) != lines.inModule(b.Failure.File) {
		return false
	}
	ka, kb := causeKeys(a, lines), causeKeys(b, lines)
	common := 0
	for _, x := range ka {
		for _, y := range kb {
			if x == y {
				common++
			}
		}
	}
	return common > 0 && 2*common >= min(len(ka), len(kb))
}

// sourceLines reads statement texts, each file once.
type sourceLines struct {
	roots site.Roots
	read  func(path string) ([]byte, error)
	files map[string][]string
	names map[string]string // in their modules
}

// inModule is a file's name in the module that it lies in, which may be another one
// than the names of a workspace are relative to.
func (s *sourceLines) inModule(file string) string {
	name, known := s.names[file]
	if !known {
		name = s.lookUp(file)
		s.names[file] = name
	}
	return name
}

func (s *sourceLines) lookUp(file string) string {
	path := s.roots.Abs(file)
	if s.roots.Module == "" || !filepath.IsAbs(path) || !site.InMain(file) {
		return file
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if st, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !st.IsDir() {
			if rel, err := filepath.Rel(dir, path); err == nil {
				return filepath.ToSlash(rel)
			}
		}
		if dir == filepath.Dir(dir) {
			return file
		}
	}
}

func (s *sourceLines) text(file string, line int) string {
	lines, ok := s.files[file]
	if !ok {
		if text, err := s.read(s.roots.Abs(file)); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		s.files[file] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.Join(strings.Fields(lines[line-1]), " ")
}
