package printed

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write machinery.txt and points.txt anew")

// TestCurrent: the texts are what the packages say now.
func TestCurrent(t *testing.T) {
	b := newBundler(t)
	for name, want := range map[string]string{"machinery.txt": b.machinery(), "points.txt": b.points()} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != want {
			t.Errorf("%s is not what the packages say now; go test ./breakpoints/reproduce/printed -run TestCurrent -update writes it", name)
		}
	}
}

const module = "github.com/hocket-dev/hocket/"

// bundler makes one file of the declarations of several packages that are
// needed.
type bundler struct {
	t    *testing.T
	fset *token.FileSet
	std  types.ImporterFrom
	pkgs map[string]*pkg
}

// pkg is a package of this module.
type pkg struct {
	*types.Package
	info  *types.Info
	files []*ast.File
	texts map[*ast.File][]byte
	decls map[types.Object]*decl // package-level objects, and methods
	order []*decl
}

// decl is a function, or one spec of a declaration; a const declaration is one,
// for iota counts.
type decl struct {
	pkg  *pkg
	file *ast.File
	node ast.Node
	gen  *ast.GenDecl // of a spec
	need bool
}

func newBundler(t *testing.T) *bundler {
	fset := token.NewFileSet()
	return &bundler{t: t, fset: fset, std: importer.ForCompiler(fset, "source", nil).(types.ImporterFrom), pkgs: map[string]*pkg{}}
}

func (b *bundler) Import(name string) (*types.Package, error) {
	if rel, ours := strings.CutPrefix(name, module); ours {
		return b.load(rel).Package, nil
	}
	return b.std.ImportFrom(name, ".", 0)
}

// load type-checks a package of this module, as built without -race on Linux.
func (b *bundler) load(rel string) *pkg {
	if p := b.pkgs[rel]; p != nil {
		return p
	}
	dir := filepath.Join("..", "..", "..", filepath.FromSlash(rel))
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	context := build.Default
	context.GOOS, context.GOARCH = "linux", "amd64"
	p := &pkg{texts: map[*ast.File][]byte{}, decls: map[types.Object]*decl{}, info: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	for _, name := range names {
		base := filepath.Base(name)
		text, err := os.ReadFile(name)
		if err != nil {
			b.t.Fatal(err)
		}
		if ok, err := context.MatchFile(dir, base); err != nil || !ok || strings.HasSuffix(base, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(b.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			b.t.Fatal(err)
		}
		p.files = append(p.files, f)
		p.texts[f] = text
	}
	conf := types.Config{Importer: b}
	var err error
	if p.Package, err = conf.Check(module+rel, b.fset, p.files, p.info); err != nil {
		b.t.Fatal(err)
	}
	b.pkgs[rel] = p
	p.declare()
	return p
}

func (p *pkg) declare() {
	add := func(f *ast.File, n ast.Node, gen *ast.GenDecl, names ...*ast.Ident) {
		d := &decl{pkg: p, file: f, node: n, gen: gen}
		p.order = append(p.order, d)
		for _, name := range names {
			if obj := p.info.Defs[name]; obj != nil {
				p.decls[obj] = d
			}
		}
	}
	for _, f := range p.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				add(f, d, nil, d.Name)
			case *ast.GenDecl:
				if d.Tok == token.CONST {
					var names []*ast.Ident
					for _, s := range d.Specs {
						names = append(names, s.(*ast.ValueSpec).Names...)
					}
					add(f, d, nil, names...)
					continue
				}
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						add(f, s, d, s.Names...)
					case *ast.TypeSpec:
						add(f, s, d, s.Name)
					}
				}
			}
		}
	}
}

// reach marks what objects need, methods of needed types included only where
// they are called or may satisfy an interface.
func (b *bundler) reach(roots ...types.Object) {
	todo := roots
	for len(todo) > 0 {
		obj := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		d := b.declOf(obj)
		if d == nil || d.need {
			continue
		}
		d.need = true
		ast.Inspect(d.node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if used := d.pkg.info.Uses[id]; used != nil {
					todo = append(todo, origin(used))
				}
			}
			return true
		})
		if spec, ok := d.node.(*ast.TypeSpec); ok {
			todo = append(todo, b.dynamic(d.pkg.info.Defs[spec.Name].Type())...)
		}
	}
}

// origin is the declared object behind one of an instantiated type.
func origin(obj types.Object) types.Object {
	switch o := obj.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return obj
}

// dynamic are methods that may be called without being named: those that
// interfaces of the standard library ask for.
func (b *bundler) dynamic(t types.Type) []types.Object {
	named, ok := t.(*types.Named)
	if !ok {
		return nil
	}
	var out []types.Object
	for i := range named.NumMethods() {
		if m := named.Method(i); slices.Contains([]string{"Error", "Write", "Unwrap", "Len", "Less", "Swap"}, m.Name()) {
			out = append(out, m)
		}
	}
	return out
}

func (b *bundler) declOf(obj types.Object) *decl {
	if obj.Pkg() == nil {
		return nil
	}
	rel, ours := strings.CutPrefix(obj.Pkg().Path(), module)
	if !ours {
		return nil
	}
	return b.pkgs[rel].decls[obj]
}

// machinery is reproduce.Run with what it needs.
func (b *bundler) machinery() string {
	p := b.load("breakpoints/reproduce")
	generated := p.Scope().Lookup("pointsSource")
	p.decls[generated].need = true // has another text there
	b.reach(p.Scope().Lookup("Run"), p.Scope().Lookup("Place"))
	var body bytes.Buffer
	imports := map[string]bool{"testing": true}
	for _, rel := range []string{"breakpoints/reproduce", "breakpoints/breakfile", "breakpoints"} {
		for _, d := range b.pkgs[rel].order {
			if d.need && d != p.decls[generated] {
				body.WriteString(b.renamed(d, imports) + "\n\n")
			}
		}
	}
	fmt.Fprintf(&body, "// %spointsSource is the package that is put into the program.\nfunc %[1]spointsSource() map[string]string {\nreturn map[string]string{\n%s}\n}\n", namePrefix, pointsMark)
	var head strings.Builder
	head.WriteString("import (\n")
	for _, name := range sorted(imports) {
		fmt.Fprintf(&head, "%s%s %q\n", namePrefix, path.Base(name), name)
	}
	text := "package p\n" + head.String() + ")\n\n// Machinery, the same in every such test.\n\n" + body.String()
	out, err := format.Source([]byte(text))
	if err != nil {
		b.t.Fatalf("%v in\n%s", err, text)
	}
	return strings.TrimPrefix(string(out), "package p\n\n")
}

func sorted(m map[string]bool) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	sort.Strings(all)
	return all
}

// prefixes of the names of each package in the bundle.
var prefixes = map[string]string{
	module + "breakpoints/reproduce": namePrefix,
	module + "breakpoints/breakfile": namePrefix + "file_",
	module + "breakpoints":           namePrefix + "plan_",
}

// change replaces a part of a file's text.
type change struct {
	from, to int
	text     string
}

// renamed is the declaration's text with the bundle's names and without
// comments inside; those before it stay in package reproduce.
func (b *bundler) renamed(d *decl, imports map[string]bool) string {
	var changes []change
	offset := func(p token.Pos) int { return b.fset.Position(p).Offset }
	ast.Inspect(d.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if name, ok := d.pkg.info.Uses[id].(*types.PkgName); ok {
					if prefix := prefixes[name.Imported().Path()]; prefix != "" {
						changes = append(changes, change{offset(id.Pos()), offset(n.Sel.Pos()), prefix})
					} else {
						imports[name.Imported().Path()] = true
						changes = append(changes, change{offset(id.Pos()), offset(id.End()), namePrefix + path.Base(name.Imported().Path())})
					}
					return false
				}
			}
		case *ast.Ident:
			obj := d.pkg.info.Uses[n]
			if obj == nil {
				obj = d.pkg.info.Defs[n]
			}
			if b.topLevel(obj) || b.embedded(obj) {
				changes = append(changes, change{offset(n.Pos()), offset(n.Pos()), namePrefixOf(d, obj)})
			}
		}
		return true
	})
	from, keyword := d.node.Pos(), ""
	if f, ok := d.node.(*ast.FuncDecl); ok {
		from = f.Type.Func
	}
	if d.gen != nil {
		keyword = d.gen.Tok.String() + " "
	}
	text := b.cut(d, from, d.node.End(), changes)
	return b.docOf(d) + keyword + text
}

func namePrefixOf(d *decl, obj types.Object) string {
	if v, ok := obj.(*types.Var); ok && v.Embedded() {
		return prefixes[typeOf(v.Type()).Pkg().Path()]
	}
	return prefixes[obj.Pkg().Path()]
}

// topLevel says that an object has a new name in the bundle.
func (b *bundler) topLevel(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && prefixes[obj.Pkg().Path()] != "" && obj.Parent() == obj.Pkg().Scope()
}

// embedded reports whether a field is called as its type is.
func (b *bundler) embedded(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	if !ok || !v.Embedded() {
		return false
	}
	name := typeOf(v.Type())
	return name != nil && b.topLevel(name)
}

func typeOf(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// docOf is the comment before a declaration of package reproduce, with the
// bundle's name at its start.
func (b *bundler) docOf(d *decl) string {
	if d.pkg.Name() != "reproduce" {
		return ""
	}
	var doc *ast.CommentGroup
	var name string
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		doc, name = n.Doc, n.Name.Name
	case *ast.TypeSpec:
		if doc, name = n.Doc, n.Name.Name; doc == nil {
			doc = d.gen.Doc
		}
	}
	if doc == nil {
		return ""
	}
	text := doc.Text()
	if rest, ok := strings.CutPrefix(text, name+" "); ok && !strings.Contains(fmt.Sprintf("%T", d.node), "x") {
		if f, isFunc := d.node.(*ast.FuncDecl); !isFunc || f.Recv == nil {
			text = namePrefix + name + " " + rest
		}
	}
	return "// " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n// ") + "\n"
}

// cut is a part of the file without its comments, but for directives.
func (b *bundler) cut(d *decl, from, to token.Pos, changes []change) string {
	offset := func(p token.Pos) int { return b.fset.Position(p).Offset }
	src := d.pkg.texts[d.file]
	for _, g := range d.file.Comments {
		for _, c := range g.List {
			if c.Pos() < from || c.End() > to {
				continue
			}
			start := offset(c.Pos())
			for start > 0 && (src[start-1] == ' ' || src[start-1] == '\t') {
				start--
			}
			end := offset(c.End())
			if start > 0 && src[start-1] == '\n' && src[end] == '\n' {
				end++ // a line of its own
			}
			changes = append(changes, change{start, end, ""})
		}
	}
	sort.SliceStable(changes, func(i, j int) bool { return changes[i].from < changes[j].from })
	var out strings.Builder
	pos := offset(from)
	for _, c := range changes {
		if c.from < pos {
			continue
		}
		out.Write(src[pos:c.from])
		out.WriteString(c.text)
		pos = c.to
	}
	out.Write(src[pos:offset(to)])
	return out.String()
}

// points is the package of the points with what plans need, as Go source: the
// pairs of a map from file names to texts.
func (b *bundler) points() string {
	own := newBundler(b.t)
	p := own.load("breakpoints")
	var roots []types.Object
	for _, name := range []string{"At", "True", "Then", "Spawn", "Back", "If", "Linger", "CondWait"} {
		obj := p.Scope().Lookup(name)
		if obj == nil {
			b.t.Fatalf("package breakpoints has no %s any more", name)
		}
		roots = append(roots, obj)
	}
	own.reach(roots...)
	var body bytes.Buffer
	imports := map[string]bool{}
	apart := map[string]bool{} // names of what differs under -race
	for _, d := range p.order {
		if !d.need {
			continue
		}
		if strings.HasPrefix(filepath.Base(own.fset.Position(d.file.Pos()).Filename), "race_") {
			apart[nameOf(d.node)] = true
			continue
		}
		body.WriteString(own.directives(d) + own.plain(d) + "\n\n")
		p.uses(d.node, imports)
	}
	imports["unsafe"] = true // for linkname
	var head strings.Builder
	head.WriteString("package breakpoints\n\nimport (\n")
	for _, name := range sorted(imports) {
		if name == "unsafe" && !strings.Contains(body.String(), "unsafe.") {
			head.WriteString("_ ")
		}
		head.WriteString(strconv.Quote(name) + "\n")
	}
	head.WriteString(")\n\n")
	files := map[string]string{"points.go": head.String() + body.String()}
	for _, name := range []string{"race_off.go", "race_on.go"} {
		files[name] = own.variant(filepath.Join("..", "..", name), apart)
	}
	var out strings.Builder
	for _, name := range []string{"points.go", "race_off.go", "race_on.go"} {
		text, err := format.Source([]byte(files[name]))
		if err != nil {
			b.t.Fatalf("%s: %v in\n%s", name, err, files[name])
		}
		fmt.Fprintf(&out, "%q: `%s`,\n", name, strings.ReplaceAll(string(text), "`", "` + \"`\" + `"))
	}
	return out.String()
}

// uses enters the packages that a declaration names.
func (p *pkg) uses(n ast.Node, imports map[string]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if name, ok := p.info.Uses[id].(*types.PkgName); ok {
				imports[name.Imported().Path()] = true
			}
		}
		return true
	})
}

// nameOf a declaration: "f", "T", "T.m".
func nameOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.TypeSpec:
		return n.Name.Name
	case *ast.ValueSpec:
		return n.Names[0].Name
	case *ast.FuncDecl:
		if n.Recv == nil {
			return n.Name.Name
		}
		t := n.Recv.List[0].Type
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		return t.(*ast.Ident).Name + "." + n.Name.Name
	}
	return ""
}

// variant is a file that is for builds with -race, or for those without, with
// some of its declarations.
func (b *bundler) variant(name string, need map[string]bool) string {
	text, err := os.ReadFile(name)
	if err != nil {
		b.t.Fatal(err)
	}
	f, err := parser.ParseFile(b.fset, name, text, parser.ParseComments)
	if err != nil {
		b.t.Fatal(err)
	}
	p := &pkg{files: []*ast.File{f}, texts: map[*ast.File][]byte{f: text}, decls: map[types.Object]*decl{}, info: &types.Info{}}
	p.declare()
	constraint, _, _ := strings.Cut(string(text), "\n")
	var body strings.Builder
	for _, d := range p.order {
		if need[nameOf(d.node)] {
			body.WriteString(b.directives(d) + b.plain(d) + "\n\n")
		}
	}
	out := constraint + "\n\npackage breakpoints\n\n"
	for _, imp := range f.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if i := strings.LastIndex(path, "/"); strings.Contains(body.String(), path[i+1:]+".") {
			out += "import " + imp.Path.Value + "\n"
		}
	}
	return out + body.String()
}

// plain is a declaration's text without comments.
func (b *bundler) plain(d *decl) string {
	from, keyword := d.node.Pos(), ""
	if f, ok := d.node.(*ast.FuncDecl); ok {
		from = f.Type.Func
	}
	if d.gen != nil {
		keyword = d.gen.Tok.String() + " "
	}
	return keyword + b.cut(d, from, d.node.End(), nil)
}

// directives are the comments before a function that the compiler reads.
func (b *bundler) directives(d *decl) string {
	f, ok := d.node.(*ast.FuncDecl)
	if !ok || f.Doc == nil {
		return ""
	}
	var out string
	for _, c := range f.Doc.List {
		if strings.HasPrefix(c.Text, "//go:") {
			out += c.Text + "\n"
		}
	}
	return out
}
