package today

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
)

// syntax is what the files of a folder declare, and what their lines do. Files and lines
// are those that traces name: //line comments give lines the names of others.
type syntax struct {
	funcs map[string][]*function // by "f" or "T.f"
	ops   map[string][]op        // by base name of the file
	files map[string]string      // paths, by base name
}

// function is a declaration. A part of it may be in another file than its beginning.
type function struct {
	file     string // path
	from, to token.Pos
}

// op is something that is done on some lines.
type op struct {
	need
	file     string // path
	from, to int
	pos      token.Pos
}

const maxSource = 4 << 20 // bytes of a file that is parsed

// parse reads a folder's Go files; one that does not parse gives what it can.
func parse(dir string) *syntax {
	s := &syntax{funcs: map[string][]*function{}, ops: map[string][]op{}, files: map[string]string{}}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	fset := token.NewFileSet()
	for _, path := range files {
		st, err := os.Stat(path)
		if err != nil || st.Size() > maxSource {
			continue
		}
		f, _ := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if f != nil {
			s.add(fset, f)
		}
	}
	return s
}

func (s *syntax) add(fset *token.FileSet, f *ast.File) {
	put := func(k kind, called string, from, to token.Pos) {
		at, end := fset.Position(from), fset.Position(to)
		if end.Filename != at.Filename || end.Line < at.Line {
			end = at
		}
		name := filepath.Base(at.Filename)
		s.files[name] = at.Filename
		s.ops[name] = append(s.ops[name], op{need{k, called}, at.Filename, at.Line, end.Line, from})
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			key := fn.Name.Name
			if fn.Recv != nil && len(fn.Recv.List) > 0 {
				key = typeName(fn.Recv.List[0].Type) + "." + key
			}
			s.funcs[key] = append(s.funcs[key], &function{fset.Position(fn.Pos()).Filename, fn.Pos(), fn.End()})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if _, literal := n.Fun.(*ast.FuncLit); !literal {
				put(calls, calledName(n.Fun), n.Pos(), n.Lparen)
			} else {
				put(calls, "func", n.Lparen, n.Rparen)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				put(receives, "", n.Pos(), n.End())
			}
		case *ast.RangeStmt: // over a channel, perhaps, or a function
			put(receives, "", n.Pos(), n.X.End())
			put(calls, "", n.Pos(), n.X.End())
		case *ast.SendStmt:
			put(sends, "", n.Pos(), n.End())
		case *ast.SelectStmt:
			put(selects, "", n.Pos(), n.Pos())
		case *ast.GoStmt:
			put(starts, "", n.Pos(), n.Call.Lparen)
		case *ast.ReturnStmt:
			put(returns, "", n.Pos(), n.End())
		case *ast.BlockStmt:
			put(returns, "", n.Rbrace, n.Rbrace)
		}
		if st, ok := n.(ast.Stmt); ok {
			put(anything, "", st.Pos(), st.Pos())
		} else if e, ok := n.(ast.Expr); ok {
			put(anything, "", e.Pos(), e.Pos())
		}
		return true
	})
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func calledName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return calledName(e.X)
	case *ast.IndexListExpr:
		return calledName(e.X)
	case *ast.ParenExpr:
		return calledName(e.X)
	}
	return ""
}

// how a place was found.
type how int

const (
	found how = iota
	lost
)

// find looks for the line of a call. One that does what is needed, in the function of
// that name, is the same as then; else the only line of the function that does is.
func (s *syntax) find(f dump.Frame, n need) (dump.Frame, how) {
	at := f
	fn := s.function(f)
	if fn == nil {
		path, ok := s.files[base(f.File)]
		if !ok || !strings.Contains(f.Func, ".glob.") && !strings.Contains(f.Func, ".init.") || !s.does(base(f.File), f.Line, n) {
			return at, lost // a variable's initialiser is in no function
		}
		at.File = path
		return at, found
	}
	if file, ok := s.within(fn, f, n); ok {
		at.File = file
		return at, found
	}
	at.File = fn.file
	var all []op
	for _, ops := range s.ops {
		for _, o := range ops {
			same := func(p op) bool { return p.file == o.file && p.from == o.from }
			if fn.holds(o) && o.does(n) && !slices.ContainsFunc(all, same) {
				all = append(all, o)
			}
		}
	}
	if len(all) != 1 || n.kind == anything {
		return at, lost
	}
	at.File, at.Line = all[0].file, all[0].from
	return at, found
}

// within is the file of a call's line if that line of the function does what is needed.
func (s *syntax) within(fn *function, f dump.Frame, n need) (file string, ok bool) {
	for _, o := range s.ops[base(f.File)] {
		if fn.holds(o) && o.at(f.Line) && (o.does(n) || o.kind == returns) {
			return o.file, true
		}
	}
	return "", false
}

func (fn *function) holds(o op) bool { return fn.from <= o.pos && o.pos <= fn.to }

// does reports whether a line does what is needed. Deferred calls run where a
// function returns.
func (s *syntax) does(file string, line int, n need) bool {
	return slices.ContainsFunc(s.ops[file], func(o op) bool {
		return o.at(line) && (o.does(n) || o.kind == returns)
	})
}

func (o op) at(line int) bool { return o.from <= line && line <= o.to }

func (o op) does(n need) bool {
	return o.kind == n.kind && (n.name == "" || o.name == n.name || o.name == "") || n.kind == anything
}

// function finds the declaration that a function's name is made of: of closures the
// one around them, of what was inlined the one in the call's file.
func (s *syntax) function(f dump.Frame) *function {
	var all []*function
	for _, key := range keysOf(f.Func) {
		all = append(all, s.funcs[key]...)
	}
	for _, fn := range all {
		for _, o := range s.ops[base(f.File)] {
			if fn.holds(o) && o.at(f.Line) {
				return fn
			}
		}
	}
	for _, fn := range all {
		if filepath.Base(fn.file) == base(f.File) {
			return fn
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// keysOf are the declarations that may be meant by a function's name.
func keysOf(name string) (keys []string) {
	if i := strings.IndexByte(name, '['); i >= 0 {
		if j := strings.LastIndexByte(name, ']'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	slash := strings.LastIndexByte(name, '/') + 1
	_, rest, ok := strings.Cut(name[slash:], ".")
	if !ok {
		return nil
	}
	parts := strings.Split(strings.NewReplacer("(*", "", ")", "", "-fm", "").Replace(rest), ".")
	for i := range parts {
		if i+1 < len(parts) {
			keys = append(keys, parts[i]+"."+parts[i+1])
		}
		keys = append(keys, parts[i])
	}
	return keys
}

// why says what is not as it was.
func (s *syntax) why(f dump.Frame) string {
	if s.function(f) == nil {
		return "there is no such function"
	}
	return fmt.Sprintf("no line of the function is sure to be line %d of then", f.Line)
}
