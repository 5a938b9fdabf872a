package programs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
)

// leastCopies is from how many rounds on a loop of a kernel is one that repeats
// it. The loops that belong to the bugs themselves have fewer.
const leastCopies = 11

// Single makes the kernels in dir start once. The distribution starts many of
// them a hundred or a thousand times in one process, so that its test meets the
// bug for sure; then every schedule shows it somewhere, and nothing is left to
// search for.
func Single(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		once, err := single(src)
		if err != nil {
			return err
		}
		if bytes.Equal(once, src) {
			continue
		}
		if err := os.WriteFile(file, once, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// single replaces the bound of each loop "for i := 0; i < N; i++" that is a
// statement of a registered function.
func single(src []byte) ([]byte, error) {
	m := registered.FindSubmatch(src)
	if m == nil {
		return src, nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []byte
	from := 0
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name != string(m[1]) {
			continue
		}
		for _, s := range fn.Body.List {
			bound, once := repetition(s)
			if bound == nil {
				continue
			}
			out = append(out, src[from:fset.Position(bound.Pos()).Offset]...)
			out = append(out, once...)
			from = fset.Position(bound.End()).Offset
		}
	}
	return append(out, src[from:]...), nil
}

// repetition is the bound of a loop that counts up from 0 and starts goroutines,
// and what it is to be for one round; nil if s is another statement.
func repetition(s ast.Stmt) (bound ast.Expr, once string) {
	loop, ok := s.(*ast.ForStmt)
	if !ok || !startsGoroutines(loop.Body) {
		return nil, ""
	}
	cond, ok := loop.Cond.(*ast.BinaryExpr)
	if !ok {
		return nil, ""
	}
	lit, ok := cond.Y.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return nil, ""
	}
	n, err := strconv.Atoi(lit.Value)
	switch {
	case err != nil || n < leastCopies:
	case cond.Op == token.LSS:
		return lit, "1"
	case cond.Op == token.LEQ:
		return lit, "0"
	}
	return nil, ""
}

func startsGoroutines(body *ast.BlockStmt) (does bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		_, goes := n.(*ast.GoStmt)
		does = does || goes
		return !does
	})
	return does
}
