package points

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/hocket-dev/hocket/internal/bug"
	"github.com/hocket-dev/hocket/internal/textedit"
)

const (
	// ImportPath is where the injected copy of package breakpoints lives: a
	// folder below GOROOT/src (by overlay), so that every package of any
	// module can import it.
	ImportPath = "hocketpoints"
	// alias is its name in edited files: one that no program uses.
	alias = "hocketpoints_"
)

// Orders of insertions at one offset. Points go outside of spawn brackets, so
// that they run under the parent's name.
const (
	orderBody  = 0
	orderAt    = 10
	orderSpawn = 20
	orderWrap  = 30
)

// file is one source file being edited.
type file struct {
	name  string // absolute
	src   []byte
	fset  *token.FileSet
	tok   *token.File
	ast   *ast.File
	edits []textedit.Edit

	divided map[ast.Node]bool // statements with a point between read and write
	slots   map[slotKey]*slotPoints
	selects map[*ast.SelectStmt][]preferred
	sides   []placedSide
}

// Inject returns the source with a point at each place, and the places that
// can't have one.
func Inject(name string, src []byte, places []Place) ([]byte, []Skip, error) {
	out, _, skipped, err := inject(name, src, places)
	return out, skipped, err
}

// inject is Inject, and lists the points that went to one place.
func inject(name string, src []byte, places []Place) (out []byte, shared [][]int, skipped []Skip, err error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("parse for points: %w", err)
	}
	f := &file{name: name, src: src, fset: fset, ast: syntax, tok: fset.File(syntax.FileStart), divided: map[ast.Node]bool{}}
	for _, pl := range places {
		if reason := f.rewrite(pl); reason != "" {
			skipped = append(skipped, Skip{pl, reason})
		}
	}
	f.emit()
	if len(f.edits) == 0 {
		return src, nil, skipped, nil
	}
	end := f.offset(syntax.Name.End())
	f.add(textedit.Insert(end, orderBody, fmt.Sprintf("; import %s %q", alias, ImportPath)+f.columnOf(end)))
	out, err = textedit.Apply(src, f.edits)
	if err != nil {
		return nil, nil, nil, bug.Errorf("put points into %s: %w", name, err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), name, out, parser.SkipObjectResolution); err != nil {
		return nil, nil, nil, bug.Errorf("put points into %s: the result does not parse: %w", name, err)
	}
	return out, f.shared(), skipped, nil
}

func (f *file) add(e ...textedit.Edit) { f.edits = append(f.edits, e...) }

func (f *file) offset(p token.Pos) int { return f.tok.Offset(p) }

// position ignores line directives: a place's line is matched as the compiler
// would report it only for files without them.
func (f *file) position(p token.Pos) token.Position { return f.fset.PositionFor(p, false) }

func (f *file) text(n ast.Node) string {
	return string(f.src[f.offset(n.Pos()):f.offset(n.End())])
}
