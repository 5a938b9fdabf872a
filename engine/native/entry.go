package native

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/internal/process"
)

// entryFile finds the file with the target's first function; "" if there is
// none by that name.
func entryFile(ctx context.Context, t instrument.Target) (string, error) {
	args := append([]string{"list", "-e", "-json=GoFiles,CgoFiles,TestGoFiles,XTestGoFiles"}, slices.Concat(t.Flags, t.Overlay.Flags())...)
	cmd := process.Go(ctx, "go", append(args, ".")...)
	cmd.Dir, cmd.Env = t.Dir, t.Environ()
	out, err := process.Output(ctx, cmd)
	if err != nil {
		return "", err
	}
	var pkg struct{ GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string }
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&pkg); err != nil {
		return "", err
	}
	files := append(pkg.GoFiles, pkg.CgoFiles...)
	if t.Test {
		files = append(pkg.TestGoFiles, pkg.XTestGoFiles...)
	}
	for _, name := range files {
		name = filepath.Join(t.Dir, name)
		src, err := t.Overlay.ReadFile(name)
		if err != nil {
			return "", err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err == nil && declares(f, t.Func()) {
			return name, nil
		}
	}
	return "", nil
}

func declares(f *ast.File, fn string) bool {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == fn {
			return true
		}
	}
	return false
}
