package stored

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
)

// Module is one module whose findings are shown. Opening and watching one
// runs no process and writes nothing. Its methods may be called at once from
// several goroutines.
type Module struct {
	root  string
	roots func() site.Roots

	store *store.Store

	mu    sync.Mutex // guards what follows
	cache *store.Cache
	shown map[*store.Item]*Finding // as of the last reading
}

// FindModule returns the root of the module that holds a file or folder: the
// nearest one upward that has a go.mod. The file need not exist.
func FindModule(file string) (root string, ok bool) {
	dir, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	for {
		// The go command ignores a go.mod in the system's temporary folder
		// itself.
		if st, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !st.IsDir() && dir != filepath.Clean(os.TempDir()) {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

// OpenModule returns the module at root, as FindModule names it.
func OpenModule(root string) *Module {
	s := store.OpenRead(root)
	return &Module{root: root, roots: sync.OnceValue(func() site.Roots { return target.RootsOf(root) }),
		store: s, cache: s.Cache()}
}

// Root is the module's folder.
func (m *Module) Root() string { return m.root }

// Abs returns the path of the file that a name in a finding stands for:
// "case.go" in the module, "x.y/z@v1.2.3/a.go" in the module cache,
// "std/sync/mutex.go" in the Go installation. ok is false if the file can't be
// found without running the go command.
func (m *Module) Abs(name string) (path string, ok bool) {
	if name == "" {
		return "", false
	}
	path = m.roots().Abs(name)
	st, err := os.Stat(path)
	return path, err == nil && st.Mode().IsRegular()
}

// Findings reads the store as it is now. Only files that changed since the
// last reading are read again.
func (m *Module) Findings() *Findings {
	m.mu.Lock()
	defer m.mu.Unlock()
	items, problems := m.cache.Load()
	f := &Findings{Root: m.root, Problems: problems}
	shown := make(map[*store.Item]*Finding, len(items))
	for _, it := range items {
		s := m.shown[it]
		if s == nil {
			s = findingOf(it)
		}
		shown[it] = s
		f.All = append(f.All, s)
	}
	m.shown = shown
	return f
}

// Forget deletes a finding from the module's store.
func (m *Module) Forget(id string) error { return m.store.Forget(id) }
