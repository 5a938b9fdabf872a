package program

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/hocket-dev/hocket/internal/words"
)

// Source says which packages to read.
type Source struct {
	Dir      string
	Patterns []string // none means "."
	Flags    []string // of the build, as for go list
	Env      []string // of the go command; nil: this process's
	Overlay  map[string][]byte
}

// Package is one package with its syntax and types.
type Package struct {
	Path  string // import path, without the mark of a test variant
	Types *types.Package
	Files []*ast.File
	Info  *types.Info
	Test  bool // with its test files, or an external test

	broken bool // it has errors
	torn   bool // a file does not parse, which is reported
}

// Loaded is what Load found. All packages share Fset.
type Loaded struct {
	Fset     *token.FileSet
	Packages []*Package
	Problems []string // a line each
}

// The packages asked for come from their sources, what they import from export
// data.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
	packages.NeedForTest | packages.NeedExportFile

// Load reads the packages with their tests. A package with tests is taken with
// them, once: its plain variant only serves those that import it. The error is
// only for what leaves no package, and for ctx.
func Load(ctx context.Context, src Source) (*Loaded, error) {
	patterns := src.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	l := &Loaded{Fset: token.NewFileSet()}
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Context: ctx, Dir: src.Dir, Env: src.Env,
		BuildFlags: src.Flags, Fset: l.Fset, Tests: true, Overlay: src.Overlay}, patterns...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %s", strings.Join(patterns, " "), words.OneLine(err.Error()))
	}
	withTests := map[string]bool{}
	for _, p := range pkgs {
		if p.ForTest != "" && p.PkgPath == p.ForTest {
			withTests[p.PkgPath] = true
		}
	}
	for _, p := range pkgs {
		lines, torn := problems(p.Errors)
		for _, line := range lines {
			if !slices.Contains(l.Problems, line) {
				l.Problems = append(l.Problems, line)
			}
		}
		generated := strings.HasSuffix(p.ID, ".test") // the main package of a test binary
		plain := p.ForTest == "" && withTests[p.PkgPath]
		if generated || plain || p.Types == nil || p.TypesInfo == nil || len(p.Syntax) == 0 {
			continue
		}
		l.Packages = append(l.Packages, &Package{Path: strings.TrimSuffix(p.PkgPath, "_test"), Types: p.Types,
			Files: p.Syntax, Info: p.TypesInfo, Test: p.ForTest != "",
			broken: p.IllTyped || len(p.Errors) > 0, torn: torn})
	}
	if len(l.Packages) == 0 && len(l.Problems) > 0 {
		return nil, errors.New(l.Problems[0])
	}
	return l, nil
}
