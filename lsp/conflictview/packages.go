package conflictview

import (
	"fmt"
	"path/filepath"
	"sync"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
)

// Packages are the packages whose conflicts are known, by folder. Safe for
// concurrent use.
type Packages struct {
	mu      sync.Mutex
	byDir   map[string]*Package
	version int
}

// New knows of no package.
func New() *Packages { return &Packages{byDir: map[string]*Package{}} }

// Dir is the folder of a file's package.
func Dir(path string) string { return filepath.Dir(path) }

// Of is the package of a file.
func (ps *Packages) Of(path string) (*Package, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.byDir[Dir(path)]
	return p, p != nil
}

// Put replaces what is known of the package in a folder.
func (ps *Packages) Put(dir string, p *Package) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.byDir[dir] = p
	ps.version++
}

// Version is another one after each Put.
func (ps *Packages) Version() int {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.version
}

// Package is the conflicts of a package by one report.
type Package struct {
	Path    string // as it is imported
	Message string // what was found, in one line for users
	Note    string // what was left out, and why; "" if nothing was

	conflicts *present.Conflicts
	names     files.Names
}

// NewPackage keeps a report on the texts of a snapshot. names are those of the
// package's module.
func NewPackage(rep *engine.ConflictReport, docs *files.Snapshot, names files.Names) *Package {
	p := &Package{Path: rep.Package, conflicts: present.NewConflicts(rep, textsOf(rep, docs, names)), names: names}
	p.Message = fmt.Sprintf("%s: %s of places that may conflict", rep.Package, words.Count(len(rep.Pairs), "pair"))
	if n := len(rep.Cycles); n > 0 {
		p.Message += fmt.Sprintf(", %s of locks", words.Count(n, "cycle"))
	}
	if len(rep.Errors) > 0 {
		p.Note = words.OneLine(rep.Errors[0])
		if n := len(rep.Errors) - 1; n > 0 {
			p.Note += fmt.Sprintf("; %d more", n)
		}
		p.Message += "; " + p.Note
	}
	return p
}

// textsOf are the texts that a report is about, by name.
func textsOf(rep *engine.ConflictReport, docs *files.Snapshot, names files.Names) map[string]string {
	texts := map[string]string{}
	add := func(name string) {
		if _, ok := texts[name]; ok {
			return
		}
		if f, ok := docs.Named(names, name); ok {
			texts[name] = f.Text
		}
	}
	for _, p := range rep.Pairs {
		for _, side := range p.Sides {
			add(side.File)
		}
		if p.Then != nil {
			add(p.Then.File)
		}
	}
	return texts
}
