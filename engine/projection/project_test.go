package projection

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

var update = flag.Bool("update", false, "rewrite the expected projections")

// fixture is a program with a failing and a passing run, and what is expected:
//
//	-- lines --       lines that the root cause must name
//	-- *.go --        the program
//	-- fail, pass --  the runs, in the language of tracetest
//	-- want --        the markdown
type fixture struct {
	ar    *txtar.Archive
	files map[string]string
	input Input
}

const dir = "/src/"

func load(t *testing.T, path string) *fixture {
	t.Helper()
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fx := &fixture{ar: ar, files: map[string]string{}}
	for _, f := range ar.Files {
		fx.files[f.Name] = string(f.Data)
	}
	read := func(p string) ([]byte, error) {
		if text, ok := fx.files[strings.TrimPrefix(p, dir)]; ok && strings.HasPrefix(p, dir) {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	opt := tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)}
	fx.input = Input{Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(read)}
	fx.input.Fail = build(t, fx.files["fail"], opt)
	if text, ok := fx.files["pass"]; ok {
		fx.input.Pass = build(t, text, opt)
	}
	return fx
}

func build(t *testing.T, text string, opt tracetest.Options) *trace.Trace {
	t.Helper()
	tr, err := tracetest.Build(text, opt)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// funcAt names functions as the compiler does, as far as these programs go.
func (fx *fixture) funcAt(t *testing.T) func(string, int) string {
	return func(file string, line int) string {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, fx.files[strings.TrimPrefix(file, dir)], 0)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || line < fset.Position(fd.Pos()).Line || line > fset.Position(fd.End()).Line {
				continue
			}
			name = "main." + fd.Name.Name
			n := 0
			ast.Inspect(fd, func(x ast.Node) bool {
				if lit, ok := x.(*ast.FuncLit); ok {
					n++
					if line > fset.Position(lit.Pos()).Line && line <= fset.Position(lit.End()).Line {
						name = "main." + fd.Name.Name + ".func" + strconv.Itoa(n)
					}
				}
				return true
			})
		}
		return name
	}
}

func TestProject(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no fixtures")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			fx := load(t, path)
			p := Project(fx.input)
			if len(p.RootCause) > MaxRoot {
				t.Errorf("%d root-cause entries", len(p.RootCause))
			}
			named := map[string]bool{}
			for _, a := range p.RootCause {
				named[strconv.Itoa(a.Line)] = true
				if a.Call != nil {
					named[strconv.Itoa(a.Call.Line)] = true
				}
			}
			for _, l := range strings.Fields(fx.files["lines"]) {
				if !named[l] {
					t.Errorf("root cause lacks line %s", l)
				}
			}
			got := p.Markdown()
			if *update {
				fx.write(t, path, got)
				return
			}
			if diff := cmp.Diff(fx.files["want"], got); diff != "" {
				t.Errorf("projection (-want +got):\n%s", diff)
			}
		})
	}
}

func (fx *fixture) write(t *testing.T, path, want string) {
	t.Helper()
	kept := fx.ar.Files[:0]
	for _, f := range fx.ar.Files {
		if f.Name != "want" {
			kept = append(kept, f)
		}
	}
	fx.ar.Files = append(kept, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(path, txtar.Format(fx.ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Which row saw the value of which, in both runs.
func TestFlow(t *testing.T) {
	rows := Project(load(t, "testdata/gatepath.txtar").input).Rows
	type flow struct {
		From, PassFrom, PassOrder int
		Role                      Role
	}
	var got []flow
	for _, r := range rows {
		got = append(got, flow{r.From, r.PassFrom, r.PassOrder, r.Role})
	}
	want := []flow{{0, 0, 4, ""}, {1, 0, 1, ""}, {0, 0, 0, ""}, {0, 0, 2, ""}, {3, 0, 5, ""}, {0, 0, 0, ""}, {6, 4, 3, ""}, {0, 0, 0, Fails}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	// Who waits for ever went on in the passing run, and is drawn there.
	for _, r := range Project(load(t, "testdata/notifyhold.txtar").input).Rows {
		if r.Role == Waits && r.PassOrder == 0 {
			t.Errorf("%s:%d goes on nowhere in the passing run", r.File, r.Line)
		}
	}
}
