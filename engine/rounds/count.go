package rounds

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// Variable is the local variable of a function whose fields are the counters of its loops.
const Variable = "hocketRounds"

// alias is the name by which written sources know package runtime.
const alias = "hocketKeep"

// Count is a source with counters, and how many there are: 0 if nothing changes. What the
// source is called is for errors.
func Count(name string, text []byte) ([]byte, int, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, fmt.Errorf("count loops: %w", err)
	}
	if !isCounted(f) || strings.Contains(string(text), Variable) || strings.Contains(string(text), alias) {
		return text, 0, nil
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var edits []textedit.Edit
	n := 0
	each(f, func(body *ast.BlockStmt, loops []loop) {
		for _, l := range loops {
			edits = append(edits, textedit.Insert(at(l.start), 0, l.counter+" = 0; "))
			edits = append(edits, textedit.Insert(at(l.body.Lbrace)+1, 1, " "+l.counter+"++; "))
		}
		n += len(loops)
		edits = append(edits, textedit.Insert(at(body.Lbrace)+1, -1, declared(loops)))
	})
	if n == 0 {
		return text, 0, nil
	}
	edits = append(edits, textedit.Insert(at(f.Name.End()), 0, fmt.Sprintf("; import %s %q", alias, "runtime")))
	out, err := textedit.Apply(text, edits)
	return out, n, err
}

// declared is the variable of a function's counters. The compiler tells debuggers where
// one is that it keeps in memory if its address is taken and a pointer is in it.
func declared(loops []loop) string {
	var fields []string
	for _, l := range loops {
		fields = append(fields, strings.TrimPrefix(l.counter, Variable+"."))
	}
	return fmt.Sprintf(" var %s struct { p *%s.Func; %s uint32 }; %s.KeepAlive(&%s); ", Variable, alias, strings.Join(fields, ", "), alias, Variable)
}

// Of are the names of the counters that the loops of a file have, by the loop.
func Of(f *ast.File) map[ast.Stmt]string {
	out := map[ast.Stmt]string{}
	if isCounted(f) {
		each(f, func(_ *ast.BlockStmt, loops []loop) {
			for _, l := range loops {
				out[l.stmt] = l.counter
			}
		})
	}
	return out
}

// loop is a loop that has a counter.
type loop struct {
	stmt    ast.Stmt
	start   token.Pos // of the statement or its label
	body    *ast.BlockStmt
	counter string
}

// isCounted is false of files whose text other tools read before the compiler does, and of
// those that mean something else by the name of the counters' type.
func isCounted(f *ast.File) bool {
	for _, i := range f.Imports {
		if i.Path.Value == `"C"` {
			return false
		}
	}
	shadowed := false
	declares := func(ids ...*ast.Ident) {
		for _, id := range ids {
			shadowed = shadowed || id != nil && id.Name == "uint32"
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			declares(n.Names...)
		case *ast.ValueSpec:
			declares(n.Names...)
		case *ast.TypeSpec:
			declares(n.Name)
		case *ast.FuncDecl:
			declares(n.Name)
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				id, _ := x.(*ast.Ident)
				declares(id)
			}
		}
		return !shadowed
	})
	return !shadowed
}

// each calls f for each function that has loops to count.
func each(file *ast.File, f func(body *ast.BlockStmt, loops []loop)) {
	waits := waitNames(file)
	ast.Inspect(file, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body == nil || hasDirective(n.Doc) {
				return false
			}
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		default:
			return true
		}
		if loops := loopsOf(body, waits); len(loops) > 0 {
			f(body, loops)
		}
		return true
	})
}

// hasDirective is true of functions that the compiler treats in a way of their own, such
// as those that must not grow the stack.
func hasDirective(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:") && c.Text != "//go:noinline" {
			return true
		}
	}
	return false
}

// loopsOf are the loops of a function, without those of functions within it.
func loopsOf(body *ast.BlockStmt, waits map[string]bool) (loops []loop) {
	var label token.Pos
	ast.Inspect(body, func(n ast.Node) bool {
		l := loop{}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt:
			if label == token.NoPos {
				label = n.Pos()
			}
			return true
		case *ast.ForStmt:
			l.stmt, l.body = n, n.Body
		case *ast.RangeStmt:
			l.stmt, l.body = n, n.Body
		}
		if l.stmt != nil && mayWait(l.stmt, waits) {
			l.start, l.counter = l.stmt.Pos(), fmt.Sprintf("%s.n%d", Variable, len(loops)+1)
			if label != token.NoPos {
				l.start = label
			}
			loops = append(loops, l)
		}
		if _, ok := n.(ast.Stmt); ok {
			label = token.NoPos
		}
		return true
	})
	return loops
}

// mayWait is true of loops that call something, or use a channel; of what is ranged over
// the file says whether a name is that of a channel or iterator.
func mayWait(st ast.Stmt, waits map[string]bool) (found bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			found = found || !ok || !builtins[id.Name]
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.RangeStmt:
			found = found || waits[nameOf(n.X)]
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// waitNames are the variables, parameters and fields of a file that are declared as
// channels or iterators.
func waitNames(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				names[id.Name] = names[id.Name] || isWait(n.Type)
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				names[id.Name] = names[id.Name] || isWait(n.Type) || i < len(n.Values) && isMade(n.Values[i])
			}
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					names[id.Name] = names[id.Name] || isMade(n.Rhs[i])
				}
			}
		}
		return true
	})
	delete(names, "")
	return names
}

// isWait is true of the types of channels and iterators.
func isWait(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.ChanType, *ast.FuncType:
		return true
	case *ast.IndexExpr:
		return nameOf(t.X) == "Seq"
	case *ast.IndexListExpr:
		return nameOf(t.X) == "Seq2"
	}
	return false
}

// isMade is true of make(chan T).
func isMade(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	return ok && nameOf(call.Fun) == "make" && len(call.Args) > 0 && isWait(call.Args[0])
}

// nameOf is the name of a variable, or that of a field; "" of other expressions.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

var builtins = map[string]bool{"append": true, "cap": true, "clear": true, "copy": true, "delete": true, "len": true, "make": true, "max": true, "min": true, "new": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true,
	"float32": true, "float64": true, "byte": true, "rune": true, "string": true}
