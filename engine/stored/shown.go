package stored

import (
	"maps"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/trace"
)

// FilesOf lists the sources that the finding names.
func FilesOf(f *report.Finding) []string {
	files := []string{f.Failure.File}
	for _, a := range f.RootCause {
		files = append(files, a.File)
		if a.Call != nil {
			files = append(files, a.Call.File)
		}
	}
	return inOrder(files)
}

// inOrder sorts names of files and leaves out std and empty names.
func inOrder(files []string) []string {
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool {
		return f == "" || strings.HasPrefix(f, "std/") || strings.HasPrefix(f, "<")
	})
}

// ShownFiles lists the sources that a finding and its explanation name, std
// left out: editors show lines of all of them.
func ShownFiles(f *report.Finding, p *projection.Projection) []string {
	files := FilesOf(f)
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

// SumsOf returns the sums of the sources of the package in dir and of further
// files, without files that counted as deleted.
func SumsOf(s *build.Sources, roots site.Roots, dir string, files []string) store.Sums {
	files = slices.Clone(files)
	for _, path := range s.Overlay().GoFiles(dir) {
		files = append(files, roots.Name(path)) // some are not on disk
	}
	sums := store.SumOf(roots, dir, files, s.Text)
	maps.DeleteFunc(sums, func(name, _ string) bool { return s.Overlay().Deleted(roots.Abs(name)) })
	return sums
}

// PathOf returns the sums of the files of the main module that a run went
// through, except those that are known already.
func PathOf(t *trace.Trace, known store.Sums, src *build.Sources, roots site.Roots) store.Sums {
	sums := store.Sums{}
	if t == nil {
		return sums
	}
	for _, stack := range t.Stacks {
		for _, f := range stack {
			name := roots.Name(f.File)
			if _, ok := known[name]; ok || !site.InMain(name) || sums[name] != "" || roots.Abs(name) != f.File {
				continue // the last: a file far away from the module has no name that leads back to it
			}
			if text, ok := src.Text(f.File); ok {
				sums[name] = store.SumText(text)
			}
		}
	}
	return sums
}

// TextsFor returns the texts of the named files, for the store.
func TextsFor(s *build.Sources, roots site.Roots, names []string) store.Texts {
	texts := store.Texts{}
	for _, name := range names {
		if t, ok := s.Text(roots.Abs(name)); ok {
			texts[name] = t
		}
	}
	return texts
}
