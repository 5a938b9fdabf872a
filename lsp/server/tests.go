package server

import (
	"cmp"
	"context"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandTests = "hocket.tests"

type (
	testsArguments struct {
		URI string `json:"uri"` // a file or folder of a package: only that, with its tests
	}
	testsAnswer struct {
		Modules []testedModule `json:"modules"`
	}
	testedModule struct {
		URI      protocol.URI    `json:"uri"`  // of its folder
		Name     string          `json:"name"` // its path
		Packages []testedPackage `json:"packages"`
		Cut      bool            `json:"cut"` // it has more folders than were looked at
	}
	testedPackage struct {
		URI   protocol.URI  `json:"uri"`             // of its folder
		Name  string        `json:"name"`            // its path
		Dir   string        `json:"dir"`             // its folder below the module's, "." for that itself
		Tests []testedEntry `json:"tests,omitempty"` // in the order of files and lines
	}
	testedEntry struct {
		Name     string           `json:"name"` // as hocket.find takes it
		Kind     string           `json:"kind"` // "test", "example", "fuzz" or "main"
		URI      protocol.URI     `json:"uri"`
		Range    protocol.Range   `json:"range"`  // of the line that it starts on
		Stands   present.Standing `json:"stands"` // "" if nothing is known
		Line     string           `json:"line"`   // the same in a few words
		Findings []string         `json:"findings"`
		Job      string           `json:"job"` // that runs or waits for it, ""
	}
)

// tests lists the packages of the open modules that have something to search or, of one
// package, what that is. Texts are parsed, nothing is built.
func (s *Server) tests(ctx context.Context, c call, a *testsArguments) (any, error) {
	ans := &testsAnswer{Modules: []testedModule{}}
	if a.URI == "" {
		for _, m := range sortedModules(s.Modules()) {
			dirs, cut := packagesOf(ctx, c.view, m.Root())
			one := testedModule{URI: protocol.FileURI(m.Root()), Name: modulePath(m.Root()), Packages: []testedPackage{}, Cut: cut}
			for _, dir := range dirs {
				one.Packages = append(one.Packages, packageAt(m.Root(), one.Name, dir))
			}
			ans.Modules = append(ans.Modules, one)
		}
		return ans, ctx.Err()
	}
	at, err := s.placeOf(commandTests, c.view, a.URI)
	if err != nil {
		return nil, err
	}
	m := s.workspace.modules.open(at.root)
	name := modulePath(at.root)
	p := packageAt(at.root, name, at.dir)
	p.Tests = s.testsIn(ctx, c.view, m, at.dir, p.Dir)
	ans.Modules = append(ans.Modules, testedModule{URI: protocol.FileURI(at.root), Name: name, Packages: []testedPackage{p}})
	return ans, ctx.Err()
}

func packageAt(root, module, dir string) testedPackage {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		rel = "."
	}
	rel = filepath.ToSlash(rel)
	return testedPackage{URI: protocol.FileURI(dir), Name: path.Join(module, rel), Dir: rel}
}

// packagesOf are the folders of a module, in their order, that have a file of tests or a
// main function. It goes by the names of files, and reads only what names do not tell.
func packagesOf(ctx context.Context, v View, root string) (dirs []string, cut bool) {
	queue := []string{root}
	for read := 0; len(queue) > 0 && ctx.Err() == nil; read++ {
		if read == maxFolders {
			return dirs, true
		}
		dir := queue[0]
		queue = queue[1:]
		entries, err := os.ReadDir(dir)
		if err != nil || dir != root && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "go.mod" && !e.IsDir() }) {
			continue // unreadable, or another module
		}
		for _, e := range entries {
			if e.IsDir() && !skipped(e.Name()) && e.Name() != "testdata" {
				queue = append(queue, filepath.Join(dir, e.Name()))
			}
		}
		if searchable(v, dir, entries) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs, false
}

// searchable reports whether a folder has tests or a main function, as far as names and
// package clauses tell.
func searchable(v View, dir string, entries []os.DirEntry) bool {
	names := goNames(entries)
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "_test.go") }) {
		return true
	}
	for _, n := range names {
		f, ok := v.Files.File(protocol.FileURI(filepath.Join(dir, n)))
		if !ok || byHand(f) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", f.Text, parser.PackageClauseOnly)
		return err == nil && file.Name.Name == "main" // the others are of the same package
	}
	return false
}

// goNames are the names of Go files that the go command builds.
func goNames(entries []os.DirEntry) (names []string) {
	for _, e := range entries {
		if n := e.Name(); !e.IsDir() && strings.HasSuffix(n, ".go") && n[0] != '.' && n[0] != '_' {
			names = append(names, n)
		}
	}
	return names
}

// byHand: programs that are run by "go run FILE" lie in folders of other packages.
func byHand(f *files.File) bool {
	head, _, _ := strings.Cut(f.Text, "\npackage ")
	return strings.Contains(head, "//go:build ignore")
}

// testsIn lists what can be searched in a folder, and how it stands.
func (s *Server) testsIn(ctx context.Context, v View, m *Module, dir, below string) []testedEntry {
	if below == "." {
		below = ""
	}
	view, job := s.placed(ctx, v, m), s.jobsIn(dir)
	var out []testedEntry
	seen := map[string]bool{} // files of different systems may have tests of one name
	for _, f := range filesIn(v, dir) {
		for _, e := range outlineOf(f) {
			if seen[e.Name] {
				continue
			}
			seen[e.Name] = true
			r, _ := f.Mapper().GoLine(e.Line)
			one := testedEntry{Name: e.Name, Kind: e.Kind, URI: f.URI, Range: r, Findings: []string{}}
			items := view.Of(below, e.Name)
			line, proved := "", false
			if found := s.verdicts.get(v, dir, e.Name); found != nil {
				line, proved = found.line, found.proved
			}
			one.Stands, one.Line = present.Summary(items, line, proved)
			for _, it := range items {
				one.Findings = append(one.Findings, it.Finding.ID)
			}
			if j, ok := job(e.Name); ok {
				one.Job = j.ID
			}
			out = append(out, one)
		}
	}
	return out
}

// filesIn are the Go files of a folder as the client shows them, by name; those too that
// were never saved.
func filesIn(v View, dir string) (out []*files.File) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	have := map[string]bool{}
	for _, n := range goNames(entries) {
		p := filepath.Join(dir, n)
		if f, ok := v.Files.File(protocol.FileURI(p)); ok && !byHand(f) {
			have[p] = true
			out = append(out, f)
		}
	}
	for f := range v.Files.All {
		if filepath.Dir(f.Path) == dir && strings.HasSuffix(f.Path, ".go") && !f.Broken && !have[f.Path] {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *files.File) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// entryLocation is where an entry of a folder starts; nil if it is not there any more.
func entryLocation(v View, dir, entry string) *protocol.Location {
	name, _, _ := strings.Cut(entry, "/")
	for _, f := range filesIn(v, dir) {
		for _, e := range outlineOf(f) {
			if e.Name == name {
				r, _ := f.Mapper().GoLine(e.Line)
				return &protocol.Location{URI: f.URI, Range: r}
			}
		}
	}
	return nil
}

// stands is the standing that a verdict gives its entry.
func (f *verdict) stands() present.Standing {
	s, _ := present.Summary(nil, f.line, f.proved)
	return s
}
