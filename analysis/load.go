package analysis

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Source says which packages to read.
type Source struct {
	Dir      string
	Patterns []string // none means "."
	Flags    []string // of the build, as for go list
	Env      []string // of the go command; nil: this process's
	Overlay  map[string][]byte
}

// unit is one package with its syntax and types.
type unit struct {
	path   string // import path, without the mark of a test variant
	types  *types.Package
	files  []*ast.File
	info   *types.Info
	test   bool // with its test files, or an external test
	broken bool // it has errors
	torn   bool // a file does not parse, which is reported
}

// loaded is what Load found. All units share fset.
type loaded struct {
	fset   *token.FileSet
	sizes  types.Sizes
	units  []*unit
	broken []string // a line each
}

// The packages asked for come from their sources, what they import from export
// data.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
	packages.NeedForTest | packages.NeedExportFile

// load reads the packages with their tests. A package with tests is taken with
// them, once: its plain variant only serves those that import it.
func load(ctx context.Context, src Source) (*loaded, error) {
	patterns := src.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	l := &loaded{fset: token.NewFileSet()}
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Context: ctx, Dir: src.Dir, Env: src.Env,
		BuildFlags: src.Flags, Fset: l.fset, Tests: true, Overlay: src.Overlay}, patterns...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %s", strings.Join(patterns, " "), oneLine(err.Error()))
	}
	withTests := map[string]bool{}
	for _, p := range pkgs {
		if p.ForTest != "" && p.PkgPath == p.ForTest {
			withTests[p.PkgPath] = true
		}
	}
	said := map[string]bool{}
	for _, p := range pkgs {
		wrong, torn := problems(p.Errors)
		for _, line := range wrong {
			if !said[line] {
				said[line] = true
				l.broken = append(l.broken, line)
			}
		}
		generated := strings.HasSuffix(p.ID, ".test") // the main package of a test binary
		plain := p.ForTest == "" && withTests[p.PkgPath]
		if generated || plain || p.Types == nil || p.TypesInfo == nil || len(p.Syntax) == 0 {
			continue
		}
		l.sizes = p.TypesSizes
		l.units = append(l.units, &unit{path: strings.TrimSuffix(p.PkgPath, "_test"), types: p.Types,
			files: p.Syntax, info: p.TypesInfo, test: p.ForTest != "",
			broken: p.IllTyped || len(p.Errors) > 0, torn: torn})
	}
	if len(l.units) == 0 && len(l.broken) > 0 {
		return nil, fmt.Errorf("%s", l.broken[0])
	}
	return l, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
