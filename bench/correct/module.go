package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is the one that tests are copied into.
type module struct {
	ctx context.Context
	dir string
}

func (m *module) init() error {
	if err := os.MkdirAll(m.dir, 0o777); err != nil {
		return err
	}
	const mod = "module correct\n\ngo 1.26\n\nrequire golang.org/x/sync v0.22.0\n"
	if err := os.WriteFile(filepath.Join(m.dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return err
	}
	_, err := m.goCmd("mod", "download", "golang.org/x/sync")
	if err == nil {
		_, err = m.goCmd("get", "golang.org/x/sync")
	}
	return err
}

func (m *module) goCmd(args ...string) (string, error) {
	cmd := exec.CommandContext(m.ctx, "go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// copy lays out the tests of a package as tests from outside it, and says how many
// there are. What does not compile there is left out, and what needs that.
func (m *module) copy(pkg string) (tests int, err error) {
	from, err := m.goCmd("list", "-f", "{{.Name}}\t{{.Dir}}\t{{.TestGoFiles}} {{.XTestGoFiles}}", pkg)
	if err != nil {
		return 0, err
	}
	fields := strings.Split(from, "\t")
	outside, dir := fields[0]+"_test", fields[1]
	names := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(fields[2]))
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return 0, err
		}
		if f.Name.Name != outside {
			f.Name.Name = outside
			f.Decls = slices.Insert(f.Decls, 0, dotImport(f, pkg))
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return 0, nil
	}
	files = compilable(fset, files)
	to := filepath.Join(m.dir, strings.ReplaceAll(pkg, "/", "_"))
	if err := os.MkdirAll(to, 0o777); err != nil {
		return 0, err
	}
	if data := filepath.Join(dir, "testdata"); isDir(data) {
		if err := os.CopyFS(filepath.Join(to, "testdata"), os.DirFS(data)); err != nil {
			return 0, err
		}
	}
	for _, f := range files {
		var b strings.Builder
		if err := format.Node(&b, fset, f); err != nil {
			return 0, err
		}
		tests += strings.Count(b.String(), "\nfunc Test")
		name := filepath.Base(fset.Position(f.Package).Filename)
		if err := os.WriteFile(filepath.Join(to, name), []byte(b.String()), 0o666); err != nil {
			return 0, err
		}
	}
	return tests, nil
}

// dotImport makes a package's own test one from outside.
func dotImport(f *ast.File, pkg string) ast.Decl {
	// It stands where the package clause ends: nothing else is there.
	at := f.Name.End()
	spec := &ast.ImportSpec{Name: &ast.Ident{Name: ".", NamePos: at}, Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(pkg), ValuePos: at}}
	f.Imports = append(f.Imports, spec)
	return &ast.GenDecl{Tok: token.IMPORT, TokPos: at, Specs: []ast.Spec{spec}}
}

// outsider imports what a module may.
type outsider struct{ types.Importer }

func (o outsider) Import(path string) (*types.Package, error) {
	if path == "internal" || strings.HasPrefix(path, "internal/") || strings.Contains(path, "/internal") {
		return nil, fmt.Errorf("%s is internal", path)
	}
	return o.Importer.Import(path)
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// compilable removes declarations until the rest compiles without the tested
// package's own test files.
func compilable(fset *token.FileSet, files []*ast.File) []*ast.File {
	imp := outsider{importer.ForCompiler(fset, "source", nil)}
	for range 50 {
		var wrong []token.Pos
		conf := types.Config{Importer: imp, Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				wrong = append(wrong, e.Pos)
			}
		}}
		_, _ = conf.Check("correct", fset, files, nil)
		if len(wrong) == 0 {
			break
		}
		for _, f := range files {
			f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool { return remove(f, d, wrong) })
		}
		files = slices.DeleteFunc(files, func(f *ast.File) bool { return len(f.Decls) == 0 })
	}
	for _, f := range files {
		f.Comments = nil // they would stand at the places of what is gone
	}
	return files
}

// remove takes what is wrong out of a declaration; true: all of it.
func remove(f *ast.File, d ast.Decl, wrong []token.Pos) bool {
	within := func(n ast.Node) bool {
		return slices.ContainsFunc(wrong, func(p token.Pos) bool { return n.Pos() <= p && p < n.End() })
	}
	gen, ok := d.(*ast.GenDecl)
	if !ok {
		return within(d)
	}
	gen.Specs = slices.DeleteFunc(gen.Specs, func(s ast.Spec) bool {
		if !within(s) {
			return false
		}
		if i, ok := s.(*ast.ImportSpec); ok {
			f.Imports = slices.DeleteFunc(f.Imports, func(x *ast.ImportSpec) bool { return x == i })
		}
		return true
	})
	return len(gen.Specs) == 0
}
