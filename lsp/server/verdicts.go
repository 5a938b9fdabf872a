package server

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// verdicts are what searches came to that found nothing, by entry. A verdict is of the
// texts of the whole module and of the build flags that were searched: it is shown as
// long as these are what the user sees, and again when an edit is undone. Safe for
// concurrent use.
type verdicts struct {
	mu      sync.Mutex
	of      map[verdictKey]*verdict
	version int // counts changes
}

type verdictKey struct{ dir, entry string } // dir is absolute

type verdict struct {
	line    string // for a lens
	message string // all that is to be said
	proved  bool   // no schedule fails; else none of those that were tried did
	pkg     string // the path of the package
	texts   *moduleTexts
}

// moduleTexts are the Go files of a module as they were at some moment.
type moduleTexts struct {
	root  string
	build any
	files map[string]*files.File // by path
	disk  int                    // how many of them are on disk

	mu     sync.Mutex
	looked time.Time // when the disk was last compared
	same   bool      // what that showed
}

const (
	maxVerdictFiles = 3000        // of larger modules no verdicts are kept
	lookAgain       = time.Second // files are changed by others, too
)

// textsOf reads a module's texts as the view shows them; nil if there are too many.
func textsOf(v View, root string) *moduleTexts {
	m := &moduleTexts{root: root, build: v.Settings.Build, files: map[string]*files.File{}}
	ok := goFiles(root, func(path string) bool {
		if f, ok := v.Files.File(protocol.FileURI(path)); ok {
			m.files[path] = f
		}
		m.disk++
		return len(m.files) <= maxVerdictFiles
	})
	for f := range v.Files.All { // new ones, that were never saved
		if isGo(f.Path) && files.Below(f.Path, root) {
			m.files[f.Path] = f
		}
	}
	if !ok {
		return nil
	}
	return m
}

func isGo(path string) bool { return filepath.Ext(path) == ".go" || filepath.Base(path) == "go.mod" }

// goFiles calls yield with the Go files below a folder, until it returns false.
func goFiles(root string, yield func(path string) bool) (all bool) {
	all = true
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what can't be read is not built
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.Type().IsRegular() && isGo(path) && !yield(path):
			all = false
			return fs.SkipAll
		}
		return nil
	})
	return all && err == nil
}

// hold reports whether the texts are what the view shows.
func (m *moduleTexts) hold(v View) bool {
	if !reflect.DeepEqual(m.build, any(v.Settings.Build)) {
		return false
	}
	for f := range v.Files.All {
		if isGo(f.Path) && files.Below(f.Path, m.root) && !m.has(f) {
			return false
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.looked) < lookAgain {
		return m.same
	}
	n := 0
	m.same = goFiles(m.root, func(path string) bool {
		n++
		f, ok := v.Files.File(protocol.FileURI(path))
		return ok && m.has(f)
	})
	m.same, m.looked = m.same && n == m.disk, time.Now()
	return m.same
}

func (m *moduleTexts) has(f *files.File) bool {
	then := m.files[f.Path]
	return then != nil && !f.Broken && (then == f || then.Text == f.Text)
}

// put keeps what a find on a module's texts came to, for each of its targets.
func (vs *verdicts) put(module string, texts *moduleTexts, rep *engine.Report) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.of == nil {
		vs.of = map[verdictKey]*verdict{}
	}
	vs.version++
	for _, t := range rep.Targets {
		key := verdictKey{filepath.Join(texts.root, filepath.FromSlash(dirBelow(module, t.Package))), t.Entry}
		delete(vs.of, key)
		if line := verdictLine(t); line != "" {
			one := *rep
			one.Targets, one.Findings = []*report.Target{t}, nil
			proved := t.Status == report.Clean && len(t.Withheld) == 0
			vs.of[key] = &verdict{line: line, message: foundIn(t.Entry, &one), proved: proved, pkg: t.Package, texts: texts}
		}
	}
}

// verdictLine is what a search came to, "" if that is not worth a lens.
func verdictLine(t *report.Target) string {
	n := t.Searched.Attempts + t.Searched.Earlier
	switch {
	case t.Status == report.Clean && len(t.Withheld) == 0:
		return fmt.Sprintf("✓ all schedules (%s)", words.Count(n, "run"))
	case t.Status == report.Searched && len(t.Withheld) == 0:
		return "✓ no failure in " + words.Count(n, "schedule")
	case t.Status == report.Searched, t.Status == report.Clean:
		return "no finding in " + words.Count(n, "schedule")
	}
	return ""
}

// get is the verdict on an entry, if the texts are what they were.
func (vs *verdicts) get(v View, dir, entry string) *verdict {
	vs.mu.Lock()
	found := vs.of[verdictKey{dir, entry}]
	vs.mu.Unlock()
	if found == nil || !found.texts.hold(v) {
		return nil
	}
	return found
}

// holding are the verdicts on entries of a module that are of today's texts, in the
// order of their folders and entries.
func (vs *verdicts) holding(v View, root string) []verdictOn {
	vs.mu.Lock()
	var all []verdictOn
	for key, found := range vs.of {
		if found.texts.root == root {
			all = append(all, verdictOn{key, found})
		}
	}
	vs.mu.Unlock()
	all = slices.DeleteFunc(all, func(o verdictOn) bool { return !o.texts.hold(v) })
	slices.SortFunc(all, func(a, b verdictOn) int {
		return cmp.Or(strings.Compare(a.dir, b.dir), strings.Compare(a.entry, b.entry))
	})
	return all
}

// verdictOn is a verdict and what it is on.
type verdictOn struct {
	verdictKey
	*verdict
}

func (vs *verdicts) changes() int {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.version
}
