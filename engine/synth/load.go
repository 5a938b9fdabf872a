package synth

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/hocket-dev/hocket/internal/words"
)

// Source says which program to read.
type Source struct {
	Dir     string // of the package
	Package string // import path
	Entry   string // "main", or the name of a test
	Main    bool
	Flags   []string // of the build, as for go list
	Env     []string // of the go command
	GoRoot  string
	Read    func(file string) ([]byte, error) // texts that stand for those on disk; nil: none do
}

// executed are the packages of the standard library that are executed as user code
// is. All others are opaque but for what package syncs and natives know.
var executed = []string{"errors", "container/list", "container/heap", "container/ring", "sort", "slices", "maps", "cmp", "iter", "strings", "bytes", "strconv", "unicode/utf8", "unicode", "math/bits", "context"}

// Program is the SSA form of a program. It is for one goroutine.
type Program struct {
	src      Source
	fset     *token.FileSet
	ssa      *ssa.Program
	entry    *ssa.Function
	built    map[*ssa.Package]bool // that have bodies
	spots    map[ssa.Instruction]*spot
	numbered []*spot // by number
	methods  map[methodKey]*ssa.Function
	captured map[*ssa.Alloc]bool
	files    map[string]bool // that are executed
	std      map[string]bool // of those, the standard library's
	fit      fit
}

type methodKey struct {
	t    types.Type
	name string
}

// Load reads a program and all that it imports, from the sources; of what is not
// executed without the bodies of functions.
func Load(ctx context.Context, src Source) (*Program, error) {
	fset := token.NewFileSet()
	std := filepath.Join(src.GoRoot, "src") + string(filepath.Separator)
	cfg := &packages.Config{
		Mode: packages.LoadAllSyntax | packages.NeedForTest, Context: ctx, Dir: src.Dir, BuildFlags: src.Flags,
		Fset: fset, Tests: !src.Main, Env: src.Env,
		ParseFile: func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			if src.Read != nil {
				if unsaved, err := src.Read(name); err == nil {
					text = unsaved
				}
			}
			f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if rest, ok := strings.CutPrefix(name, std); ok && f != nil && !slices.Contains(executed, filepath.ToSlash(filepath.Dir(rest))) {
				withoutBodies(f)
			}
			return f, err
		},
	}
	if err := small(cfg, src.Package, std); err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(cfg, src.Package)
	if err != nil {
		return nil, fmt.Errorf("load %s: %s", src.Package, words.OneLine(err.Error()))
	}
	p := &Program{src: src, fset: fset, built: map[*ssa.Package]bool{}, spots: map[ssa.Instruction]*spot{}, numbered: make([]*spot, 1), methods: map[methodKey]*ssa.Function{}, captured: map[*ssa.Alloc]bool{}, files: map[string]bool{}, std: map[string]bool{}}
	p.fit = newFit()
	var build []*packages.Package
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if len(pkg.GoFiles) > 0 && !p.opaque(pkg, std) {
			build = append(build, pkg)
			for _, name := range pkg.CompiledGoFiles {
				p.files[name], p.std[name] = true, strings.HasPrefix(name, std)
			}
		}
	})
	p.ssa, _ = ssautil.AllPackages(pkgs, ssa.InstantiateGenerics|ssa.GlobalDebug)
	for _, pkg := range build { // in the order of imports: what is imported comes first
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s := p.ssa.Package(pkg.Types); s != nil {
			s.Build()
			p.built[s] = true
		}
	}
	if p.entry = p.find(pkgs); p.entry == nil {
		return nil, p.missing(pkgs)
	}
	return p, nil
}

// mostPackages outside the standard library: a model of more takes longer, and more
// memory, than many runs of the program.
const mostPackages = 100

// small refuses what is too large before its sources are read.
func small(cfg *packages.Config, pkg, std string) error {
	c := *cfg
	c.Mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps
	pkgs, err := packages.Load(&c, pkg)
	if err != nil {
		return fmt.Errorf("load %s: %s", pkg, words.OneLine(err.Error()))
	}
	n := 0
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if len(p.GoFiles) > 0 && !strings.HasPrefix(p.GoFiles[0], std) {
			n++
		}
	})
	if n > mostPackages {
		return fmt.Errorf("the program has %d packages besides the standard library's; at most %d are modelled", n, mostPackages)
	}
	return nil
}

// opaque packages are not executed: the standard library but for a few, and the main
// package of a test binary.
func (p *Program) opaque(pkg *packages.Package, std string) bool {
	if strings.HasSuffix(pkg.ID, ".test") {
		return true
	}
	rest, ok := strings.CutPrefix(pkg.GoFiles[0], std)
	return ok && !slices.Contains(executed, filepath.ToSlash(filepath.Dir(rest)))
}

// find is the function with which the target begins.
func (p *Program) find(pkgs []*packages.Package) *ssa.Function {
	for _, pkg := range pkgs {
		if s := p.ssa.Package(pkg.Types); s != nil && p.built[s] {
			if fn := s.Func(p.src.Entry); fn != nil && len(fn.Blocks) > 0 {
				if p.src.Main || pkg.ForTest != "" {
					return fn
				}
			}
		}
	}
	return nil
}

// missing says why there is no entry.
func (p *Program) missing(pkgs []*packages.Package) error {
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			return fmt.Errorf("%s does not compile: %s", pkg.PkgPath, words.OneLine(pkg.Errors[0].Error()))
		}
	}
	return fmt.Errorf("%s has no function %s", p.src.Package, p.src.Entry)
}

// withoutBodies leaves the declarations, and of the imports those that they use.
func withoutBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.TypeParams == nil && !generic(fn) && fn.Name.Name != "init" {
			fn.Body = nil
		}
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	for _, imp := range f.Imports {
		name := ""
		if imp.Name != nil {
			name = imp.Name.Name
		} else if name = path.Base(strings.Trim(imp.Path.Value, `"`)); major.MatchString(name) {
			name = path.Base(path.Dir(strings.Trim(imp.Path.Value, `"`)))
		}
		if !used[name] && name != "." && name != "C" {
			imp.Name = ast.NewIdent("_")
		}
	}
}

var major = regexp.MustCompile(`^v[0-9]+$`)

func generic(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return false
	}
	t := fn.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}
