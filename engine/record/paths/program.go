package paths

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/analysis/decided"
	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/textedit"
)

// alias is the name by which written sources know package runtime.
const alias = "hkrt"

var calls = instrument.PathCalls

func number(n int) string { return strconv.Itoa(2 * n) }

// Written is a target's program in sources that tell the outcomes of its branches.
type Written struct {
	Program *tracedb.Program
	Files   map[string][]byte // texts, by absolute path
}

// Write loads a target and writes such sources. A controlled build of them tells the same
// branches as a recording one. name makes paths of files portable.
func Write(ctx context.Context, b *instrument.Builder, t instrument.Target, name func(string) string) (*Written, error) {
	tc, err := b.Toolchain(ctx, t)
	if err != nil {
		return nil, err
	}
	src, err := write(ctx, tc, t, false)
	if err != nil {
		return nil, err
	}
	return &Written{src.described(t, tc.Version, runtime.GOOS, runtime.GOARCH, name), src.files}, nil
}

// source is a target's program with calls that record.
type source struct {
	files    map[string][]byte // written ones, by absolute path
	branches []Branch          // number - 1
	loops    []Loop            // that record in bits
	names    map[string]string // of function literals, by those that they have with what was put in
	places   int               // branches that there are, recorded or not
	ids      map[string]string // functions, by name
	content  string            // of the program
	left     []string          // what is not recorded, a line each
	fset     *token.FileSet
}

// write loads the target's packages and puts calls into their sources; loops record in
// bits if inBits is set, which changes no number of a branch.
func write(ctx context.Context, tc *instrument.Toolchain, t instrument.Target, inBits bool) (*source, error) {
	if t.Overlay != nil {
		return nil, errors.New("paths are recorded of files as they are on disk: save them, and leave -overlay out")
	}
	pkgs, err := mainPackages(ctx, tc, t)
	if err != nil {
		return nil, err
	}
	l, err := program.Load(ctx, program.Source{Dir: t.Dir, Patterns: pkgs, Flags: t.Flags, Env: t.Environ()})
	if err != nil {
		return nil, err
	}
	if len(l.Problems) > 0 {
		way := ""
		if strings.Contains(l.Problems[0], "application built with go") {
			way = "; build hocket itself with that Go version"
		}
		return nil, fmt.Errorf("load %s: %s%s", t.ImportPath, l.Problems[0], way)
	}
	d, err := decided.Analyze(ctx, program.BuildWithExpressions(ctx, l.Fset, l.Packages))
	if err != nil {
		return nil, err
	}
	s := &source{files: map[string][]byte{}, ids: map[string]string{}, names: map[string]string{}, fset: l.Fset}
	sum := sha256.New()
	slices.SortFunc(l.Packages, func(a, b *program.Package) int { return strings.Compare(pathOf(a), pathOf(b)) })
	for _, pkg := range l.Packages {
		for _, f := range pkg.Files {
			if err := s.file(d, pkg, f, sum, inBits); err != nil {
				return nil, err
			}
		}
	}
	if n := len(s.branches) + len(s.loops); n > rt.MaxBranches {
		return nil, fmt.Errorf("%s has %d branches and loops to record; at most %d can be", t.ImportPath, n, rt.MaxBranches)
	}
	if err := dependencies(ctx, tc, t, sum); err != nil {
		return nil, err
	}
	s.content = hex.EncodeToString(sum.Sum(nil)[:16])
	return s, nil
}

// pathOf tells a package and its external test apart.
func pathOf(p *program.Package) string {
	if strings.HasSuffix(p.Types.Name(), "_test") && !strings.HasSuffix(p.Path, "_test") {
		return p.Path + "_test"
	}
	return p.Path
}

// mainPackages lists the packages of the main modules that a target consists of.
func mainPackages(ctx context.Context, tc *instrument.Toolchain, t instrument.Target) ([]string, error) {
	args := []string{"list", "-deps", "-json=ImportPath,ForTest,Module"}
	if t.Test {
		args = append(args, "-test")
	}
	cmd := tc.Command(ctx, t, slices.Concat(args, t.Flags, []string{"."})...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := process.Output(ctx, cmd)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("list the packages of %s: %s", t.ImportPath, strings.Join(strings.Fields(stderr.String()), " "))
	}
	var out []string
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct {
			ImportPath, ForTest string
			Module              *struct{ Main bool }
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list the packages of %s: %w", t.ImportPath, err)
		}
		path, _, _ := strings.Cut(p.ImportPath, " ")
		if p.Module == nil || !p.Module.Main || strings.HasSuffix(path, ".test") || p.ForTest != "" && strings.HasSuffix(path, "_test") {
			continue
		}
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out, nil
}

// dependencies adds what else the program is made of to its sum: the versions of
// modules, and flags.
func dependencies(ctx context.Context, tc *instrument.Toolchain, t instrument.Target, sum io.Writer) error {
	text, err := process.Output(ctx, tc.Command(ctx, t, slices.Concat([]string{"list", "-m", "-f", "{{.Path}} {{.Version}} {{with .Replace}}{{.Path}} {{.Version}}{{end}}"}, onlyMod(t.Flags), []string{"all"})...))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // a vendor folder: its list says the same
		text, _ = os.ReadFile(filepath.Join(t.Dir, "vendor", "modules.txt"))
	}
	fmt.Fprintln(sum, t.Flags, len(text))
	_, err = sum.Write(text)
	return err
}

func onlyMod(flags []string) (out []string) {
	for _, f := range flags {
		if strings.HasPrefix(f, "-mod") {
			out = append(out, f)
		}
	}
	return out
}

// file writes one file.
func (s *source) file(d *decided.Program, pkg *program.Package, f *ast.File, sum io.Writer, inBits bool) error {
	tf := s.fset.File(f.Package)
	if !strings.HasSuffix(tf.Name(), ".go") {
		return nil // what the go command made of a cgo file
	}
	text, err := os.ReadFile(tf.Name())
	if err != nil {
		return err
	}
	fmt.Fprintln(sum, pathOf(pkg), filepath.Base(tf.Name()), len(text))
	if _, err := sum.Write(text); err != nil {
		return err
	}
	if tf.Size() != len(text) {
		return fmt.Errorf("%s changed while it was read; try again", tf.Name())
	}
	if usesCgo(f) {
		s.left = append(s.left, fmt.Sprintf("%s/%s: it uses cgo", pathOf(pkg), filepath.Base(tf.Name())))
		return nil
	}
	w := &writer{src: text, file: tf, pkg: pkg, info: pkg.Info, mute: d.Mute, branches: &s.branches, open: func(fn ast.Node, e ast.Expr, memory bool) bool {
		if memory {
			return d.Touches(fn) && d.OpenMemory(fn, e)
		}
		return d.Touches(fn) && d.Open(fn, e)
	}}
	if inBits {
		w.loops = &s.loops
	}
	for id := range pkg.Info.Defs {
		w.shadowed = w.shadowed || id.Name == "bool" || id.Name == "true" || id.Name == "false"
	}
	for _, decl := range f.Decls {
		s.decl(w, pathOf(pkg), decl)
	}
	if len(w.edits) == 0 {
		return nil
	}
	w.insert(f.Name.End(), "; import "+alias+` "runtime"`)
	s.files[tf.Name()], err = textedit.Apply(text, w.edits)
	if err != nil {
		return fmt.Errorf("%s: %w", tf.Name(), err)
	}
	return nil
}

func usesCgo(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

// decl writes a declaration, and sums it.
func (s *source) decl(w *writer, pkg string, decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Body == nil {
			return
		}
		name := pkg + "." + funcName(decl)
		if decl.Name.Name == "init" || decl.Name.Name == "_" { // there may be several
			name += "@" + filepath.Base(w.file.Name())
			for s.ids[name] != "" {
				name += "'"
			}
		}
		before := len(s.branches)
		w.decl(name, decl, decl.Body)
		w.rename(symbol(w.pkg, funcName(decl)), decl, s.names)
		s.sum(w, name, decl, before)
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for i, x := range v.Values {
				name := pkg + "." + v.Names[min(i, len(v.Names)-1)].Name
				before := len(s.branches)
				w.value(name, x)
				s.sum(w, name, x, before)
			}
		}
	}
}

// symbol is the linker's name of a function.
func symbol(pkg *program.Package, name string) string {
	if pkg.Types.Name() == "main" {
		return "main." + name
	}
	return pathOf(pkg) + "." + name
}

// sum is the content id of a function: its text, and which branches are recorded.
func (s *source) sum(w *writer, name string, n ast.Node, before int) {
	s.places += w.index
	h := sha256.New()
	h.Write(w.src[w.file.Offset(n.Pos()):w.file.Offset(n.End())])
	for _, b := range s.branches[before:] {
		fmt.Fprint(h, " ", b.Index)
	}
	s.ids[name] = hex.EncodeToString(h.Sum(nil)[:8])
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, star := d.Recv.List[0].Type, false
	if p, ok := t.(*ast.StarExpr); ok {
		t, star = p.X, true
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	name := "?"
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	if star {
		name = "(*" + name + ")"
	}
	return name + "." + d.Name.Name
}

// described is the program as the database knows it; file names are made portable
// by name.
func (s *source) described(t instrument.Target, version, goos, arch string, name func(string) string) *tracedb.Program {
	p := &tracedb.Program{Package: t.ImportPath, Entry: t.Entry, Mode: Mode, Content: s.content, Go: version, OS: goos, Arch: arch, Functions: s.ids}
	for _, b := range s.branches {
		pos := s.fset.PositionFor(b.Pos, false)
		p.Sites = append(p.Sites, tracedb.Site{Func: b.Func, Index: b.Index, Line: fmt.Sprintf("%s:%d", name(pos.Filename), pos.Line)})
	}
	return p
}
