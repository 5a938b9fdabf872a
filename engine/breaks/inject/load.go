package inject

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// unit is one package, parsed and type-checked from its sources, as the build
// of the program has it.
type unit struct {
	pkg   *types.Package
	files map[string]*ast.File // by absolute name
	texts map[string][]byte
	bad   error // the first error of the package itself
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export, ForTest string
	GoFiles, CgoFiles                []string
	TestGoFiles, XTestGoFiles        []string
	IgnoredGoFiles                   []string
	Standard                         bool
	ImportMap                        map[string]string
	Error                            *struct{ Err string }
}

func (p *listed) holds(file string) bool {
	base := filepath.Base(file)
	return (slices.Contains(p.GoFiles, base) || slices.Contains(p.CgoFiles, base)) && sameDir(p.Dir, filepath.Dir(file))
}

func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// program is the packages of the sides in one universe of types: what one
// imports of another is the very same object.
type program struct {
	scope   Scope
	fset    *token.FileSet
	exports map[string]string         // import path -> file of export data
	types   map[string]*types.Package // by import path
}

// loads keeps what breakpoints of one build have loaded: they are often in the
// same files.
type loads struct {
	lists    map[string][]*listed // by the arguments of go list
	programs map[string]loaded    // by files
	dirs     map[string]string    // what is built, by folders of the module cache
}

type loaded struct {
	prog  *program
	units map[string]*unit // by file
}

func newLoads() *loads {
	return &loads{map[string][]*listed{}, map[string]loaded{}, map[string]string{}}
}

// load gives for each file the unit that holds it.
func (sc Scope) load(ctx context.Context, files []string) (*program, map[string]*unit, error) {
	key := fmt.Sprintf("%q", slices.Sorted(slices.Values(files)))
	if sc.loads != nil && sc.loads.programs[key].prog != nil {
		l := sc.loads.programs[key]
		return l.prog, l.units, nil
	}
	p, units, err := sc.loadAnew(ctx, files)
	if err == nil && sc.loads != nil {
		sc.loads.programs[key] = loaded{p, units}
	}
	return p, units, err
}

func (sc Scope) loadAnew(ctx context.Context, files []string) (*program, map[string]*unit, error) {
	pkgs, err := sc.list(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	p := &program{scope: sc, fset: token.NewFileSet(), exports: map[string]string{}, types: map[string]*types.Package{}}
	holders := map[*listed][]string{}
	for _, file := range files {
		h, err := holder(pkgs, file)
		if err != nil {
			return nil, nil, err
		}
		holders[h] = append(holders[h], file)
	}
	test := ""
	for h := range holders {
		if h.ForTest != "" {
			test = h.ForTest
		}
	}
	for _, x := range pkgs {
		path, _, variant := strings.Cut(x.ImportPath, " ")
		if x.Export != "" && (!variant || x.ForTest == test) && (variant || p.exports[path] == "") {
			p.exports[path] = x.Export
		}
	}
	units := map[string]*unit{}
	for _, x := range pkgs { // what is imported comes first
		if holders[x] == nil {
			continue
		}
		u, err := p.check(ctx, x)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range holders[x] {
			units[file] = u
		}
	}
	return p, units, nil
}

// list asks the go command for the packages in the folders of the files, and
// for all that they import, compiled.
func (sc Scope) list(ctx context.Context, files []string) ([]*listed, error) {
	args := []string{"list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,ForTest,GoFiles,CgoFiles,ImportMap,Error"}
	var dirs []string
	tests := false
	for _, f := range files {
		tests = tests || strings.HasSuffix(f, "_test.go")
		if dir := filepath.Dir(f); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if tests {
		args = append(args, "-test")
	}
	args = append(append(append(args, sc.Flags...), sc.Overlay.Flags()...), "--")
	slices.Sort(dirs)
	args = append(args, dirs...)
	key := fmt.Sprintf("%q", args)
	if sc.loads != nil && sc.loads.lists[key] != nil {
		return sc.loads.lists[key], nil
	}
	pkgs, err := sc.ask(ctx, args)
	if err == nil && sc.loads != nil {
		sc.loads.lists[key] = pkgs
	}
	return pkgs, err
}

// ask runs go list.
func (sc Scope) ask(ctx context.Context, args []string) ([]*listed, error) {
	out, err := sc.goOutput(ctx, args)
	if err != nil {
		return nil, err
	}
	var pkgs []*listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the answer of go list: %w", err)
		}
		pkgs = append(pkgs, &p)
	}
}

// goOutput is what the go command prints; an error only if that is nothing.
func (sc Scope) goOutput(ctx context.Context, args []string) ([]byte, error) {
	cmd := process.Go(ctx, "go", args...)
	cmd.Dir, cmd.Env = sc.Dir, append(append(os.Environ(), "PWD="+sc.Dir), sc.Env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := process.Output(ctx, cmd)
	if err != nil && len(out) == 0 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, words.OneLine(errs.String()))
	}
	return out, nil
}

// holder returns the package that contains a file. If there are tests, it is
// the variant that the tests see.
func holder(pkgs []*listed, file string) (*listed, error) {
	var best *listed
	var problem string
	for _, p := range pkgs {
		if p.holds(file) && !strings.HasSuffix(p.ImportPath, ".test") && (best == nil || best.ForTest == "" && p.ForTest != "") {
			best = p
		}
		if p.Error != nil && sameDir(p.Dir, filepath.Dir(file)) {
			problem = ": " + words.OneLine(p.Error.Err)
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s is in no package of the build (see its build constraints, and -tags)%s", filepath.Base(file), problem)
	}
	return best, nil
}

// check parses and type-checks a package. Its own errors are kept: a condition
// can be valid in a package that has errors.
func (p *program) check(ctx context.Context, x *listed) (*unit, error) {
	u := &unit{files: map[string]*ast.File{}, texts: map[string][]byte{}}
	var syntax []*ast.File
	for _, base := range slices.Concat(x.GoFiles, x.CgoFiles) {
		name := filepath.Join(x.Dir, base)
		text, err := p.scope.Overlay.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
		if err != nil && u.bad == nil {
			u.bad = err
		}
		u.files[name], u.texts[name] = f, text
		syntax = append(syntax, f)
	}
	conf := types.Config{Importer: importerFunc(func(path string) (*types.Package, error) { return p.importPath(x, path) }),
		FakeImportC: true, Error: func(err error) {
			if u.bad == nil {
				u.bad = err
			}
		}}
	if len(x.CgoFiles) > 0 {
		if f := p.cgoTypes(ctx, x); f != nil {
			syntax = append(syntax, f)
			usesCgo(&conf)
		}
	}
	path, _, _ := strings.Cut(x.ImportPath, " ")
	u.pkg, _ = conf.Check(path, p.fset, syntax, nil) // the error is u.bad
	p.types[path] = u.pkg
	return u, nil
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func (p *program) importPath(by *listed, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if mapped := by.ImportMap[path]; mapped != "" {
		path, _, _ = strings.Cut(mapped, " ")
	}
	if pkg := p.types[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	file := p.exports[path]
	if file == "" {
		return nil, fmt.Errorf("package %s is not compiled", path)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	return gcexportdata.Read(r, p.fset, p.types, path)
}

// file finds a file of the unit, by whatever name it has there.
func (u *unit) file(name string) (*ast.File, []byte) {
	for own := range u.files {
		if own == name || filepath.Base(own) == filepath.Base(name) && sameDir(filepath.Dir(own), filepath.Dir(name)) {
			return u.files[own], u.texts[own]
		}
	}
	return nil, nil
}
