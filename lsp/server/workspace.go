package server

import (
	"context"
	"slices"
	"sync"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// workspace knows the client's folders and the modules of interest: those of
// open documents and those in the folders. Looking for them reads folders and
// go.work files and runs nothing; it is done in the background.
type workspace struct {
	s       *Server
	modules *modules
	look    *bell // rung when folders or the set of open documents changed

	mu      sync.Mutex
	folders []string            // paths
	found   map[string][]string // roots of the modules found in a folder; absent: not searched yet
	started bool
}

func newWorkspace(s *Server) *workspace {
	return &workspace{s: s, modules: &modules{s: s, byRoot: map[string]*Module{}}, look: newBell(), found: map[string][]string{}}
}

// ModuleOf is the module of a document, opened if need be. It is not ok for
// documents that are not files, or are in no module. It reads folders, so it is
// not for the reading goroutine.
func (s *Server) ModuleOf(uri protocol.URI) (*Module, bool) {
	path, ok := protocol.Path(uri)
	if !ok {
		return nil, false
	}
	root, ok := engine.FindModule(path)
	if !ok || s.ctx.Err() != nil {
		return nil, false
	}
	return s.workspace.modules.open(root), true
}

// Modules are all modules of interest that are known so far, in no order.
func (s *Server) Modules() []*Module { return s.workspace.modules.all() }

// foldersOf reads the folders that initialize names, in the newest way it does.
func foldersOf(p *protocol.InitializeParams) (paths []string) {
	if list, ok := p.WorkspaceFolders.Get(); ok {
		return pathsOf(list)
	}
	//lint:ignore SA1019 how older clients name their folder
	if p.RootURI != nil {
		//lint:ignore SA1019 as above
		return pathsOf([]protocol.WorkspaceFolder{{URI: *p.RootURI}})
	}
	//lint:ignore SA1019 how the oldest do
	if root, ok := p.RootPath.Get(); ok && root != "" {
		return pathsOf([]protocol.WorkspaceFolder{{URI: protocol.FileURI(root)}})
	}
	return nil
}

func pathsOf(list []protocol.WorkspaceFolder) (paths []string) {
	for _, f := range list {
		if path, ok := protocol.Path(f.URI); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// setFolders is called once, by initialize.
func (w *workspace) setFolders(paths []string) {
	w.change(paths, nil)
}

func (s *Server) didChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.workspace.change(pathsOf(p.Event.Added), pathsOf(p.Event.Removed))
	return nil
}

// didChangeWatchedFiles: texts on disk are looked at when they are needed; only
// what is shown may have become another.
func (s *Server) didChangeWatchedFiles(context.Context, *protocol.DidChangeWatchedFilesParams) error {
	s.diskChanges.Add(1)
	s.Refresh()
	return nil
}

func (w *workspace) change(added, removed []string) {
	w.mu.Lock()
	w.folders = slices.DeleteFunc(w.folders, func(f string) bool { return slices.Contains(removed, f) })
	for _, f := range added {
		if !slices.Contains(w.folders, f) {
			w.folders = append(w.folders, f)
		}
	}
	for f := range w.found {
		if !slices.Contains(w.folders, f) {
			delete(w.found, f)
		}
	}
	w.mu.Unlock()
	w.changed()
}

// opened and closed are called on the reading goroutine.
func (w *workspace) opened(protocol.URI) { w.changed() }
func (w *workspace) closed()             { w.changed() }

// changed has the modules looked for again.
func (w *workspace) changed() {
	w.mu.Lock()
	started := w.started
	w.started = true
	w.mu.Unlock()
	if !started {
		w.s.Go(func(ctx context.Context) {
			for w.look.wait(ctx) {
				w.update(ctx)
			}
		})
	}
	w.look.ring()
}

// update opens the modules that became interesting and forgets the others.
func (w *workspace) update(ctx context.Context) {
	wanted := map[string]bool{}
	w.s.docs.Snapshot().All(func(f *files.File) bool {
		if root, ok := engine.FindModule(f.Path); f.Path != "" && ok {
			wanted[root] = true
			w.modules.open(root)
		}
		return true
	})
	w.mu.Lock()
	folders := slices.Clone(w.folders)
	w.mu.Unlock()
	for _, folder := range folders {
		for _, root := range w.rootsIn(ctx, folder) {
			wanted[root] = true
			w.modules.open(root)
		}
	}
	if ctx.Err() == nil {
		w.modules.keep(wanted)
		w.s.Refresh()
	}
}

// rootsIn searches a folder the first time it is asked for.
func (w *workspace) rootsIn(ctx context.Context, folder string) []string {
	w.mu.Lock()
	roots, ok := w.found[folder]
	w.mu.Unlock()
	if ok {
		return roots
	}
	roots, cut := modulesIn(ctx, folder)
	if cut != "" {
		w.s.log.Warn("not all modules of the folder are watched; those of open files are", "folder", folder, "why", cut)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() == nil && slices.Contains(w.folders, folder) {
		w.found[folder] = roots
	}
	return roots
}
