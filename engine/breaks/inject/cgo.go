package inject

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/types"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// cgoTypes returns the file in which cgo declares the names C.x of a package,
// from the build cache; nil if cgo can't be used.
func (p *program) cgoTypes(ctx context.Context, x *listed) *ast.File {
	args := []string{"list", "-e", "-compiled", "-json=ImportPath,Dir,CompiledGoFiles"}
	if x.ForTest != "" {
		args = append(args, "-test")
	}
	out, err := p.scope.goOutput(ctx, append(append(append(args, p.scope.Flags...), p.scope.Overlay.Flags()...), "--", x.Dir))
	if err != nil {
		return nil
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var c struct {
			ImportPath, Dir string
			CompiledGoFiles []string
		}
		if err := dec.Decode(&c); err == io.EOF || err != nil {
			return nil
		}
		for _, name := range c.CompiledGoFiles {
			if c.ImportPath != x.ImportPath || !filepath.IsAbs(name) { // as it was
				continue
			}
			f, err := parser.ParseFile(p.fset, name, nil, parser.SkipObjectResolution)
			if err == nil && declaresCgo(f) {
				return f
			}
		}
	}
}

// declaresCgo recognises the file by a function that cgo always puts there: in
// the build cache its name is a number.
func declaresCgo(f *ast.File) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Name.Name == "_Cgo_ptr"
	})
}

// usesCgo lets the type checker take names C.x from the file of cgoTypes. The
// field of go/types for it is unexported; if a later version lacks it, such
// names have no type, and conditions that need it are refused.
func usesCgo(conf *types.Config) {
	f := reflect.ValueOf(conf).Elem().FieldByName("go115UsesCgo")
	if !f.IsValid() || f.Kind() != reflect.Bool {
		return
	}
	*(*bool)(unsafe.Pointer(f.UnsafeAddr())) = true
	conf.FakeImportC = false // they exclude each other
}
