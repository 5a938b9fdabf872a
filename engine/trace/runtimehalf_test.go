package trace

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"
)

// constantsOf evaluates the constant declarations of one Go file.
func constantsOf(t *testing.T, file string) map[string]int64 {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, strings.Replace(string(src), "//go:build hocket_overlay", "", 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	var decls []ast.Decl // the rest refers to other files
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST || isOpType(d) {
			decls = append(decls, d)
		}
	}
	f.Decls = decls
	conf := types.Config{Importer: importer.Default(), Error: func(error) {}}
	pkg, _ := conf.Check("p", fset, []*ast.File{f}, nil)
	out := map[string]int64{}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() == constant.Int {
			out[name], _ = constant.Int64Val(c.Val())
		}
	}
	return out
}

func isOpType(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	return ok && g.Tok == token.TYPE && g.Specs[0].(*ast.TypeSpec).Name.Name == "Op"
}

// The runtime half writes the numbers that this package reads.
func TestOpsEqualRuntimeHalf(t *testing.T) {
	ours, theirs := constantsOf(t, "op.go"), constantsOf(t, "../rt/overlay/runtime/hocket_ops.go")
	if len(ours) != int(NumOps)+1 {
		t.Fatalf("op.go declares %d constants, want %d", len(ours), int(NumOps)+1)
	}
	for name, want := range ours {
		got, ok := theirs["hk"+name]
		switch {
		case name == "NumOps":
		case !ok:
			t.Errorf("hocket_ops.go lacks hk%s (%s = %d in trace/op.go)", name, name, want)
		case got != want:
			t.Errorf("hk%s = %d in hocket_ops.go but %s = %d in trace/op.go", name, got, name, want)
		}
	}
	for name := range theirs {
		if _, ok := ours[strings.TrimPrefix(name, "hk")]; strings.HasPrefix(name, "hkOp") && !ok {
			t.Errorf("%s in hocket_ops.go has no counterpart in trace/op.go", name)
		}
	}
}

func TestOpNames(t *testing.T) {
	seen := map[string]Op{}
	for o := range NumOps {
		name := o.String()
		if other, ok := seen[name]; ok || name == "" {
			t.Errorf("operations %d and %d are both called %q", o, other, name)
		}
		seen[name] = o
	}
}
