package verify

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// amount counts what a text can do.
type amount struct {
	fails, spawns, sends int
	names                map[string]int // calls that can't be part of a fix
}

// timing are calls that change when something happens, or whether it is seen, and not
// what may happen.
var timing = map[string]string{
	"time.Sleep": "waits for a time", "time.After": "waits for a time", "time.NewTimer": "waits for a time", "time.Tick": "waits for a time",
	"time.NewTicker": "waits for a time", "time.AfterFunc": "waits for a time", "context.WithTimeout": "waits for a time", "context.WithDeadline": "waits for a time",
	"runtime.Gosched": "changes only when goroutines run", "runtime.GOMAXPROCS": "changes only when goroutines run", "runtime.LockOSThread": "changes only when goroutines run",
	"recover": "swallows the failure", "os.Exit": "ends the program", "runtime.Goexit": "ends the goroutine",
	".Skip": "skips the test", ".SkipNow": "skips the test", ".Skipf": "skips the test",
}

// failing are methods and functions that report a failure.
var failing = map[string]bool{"Error": true, "Errorf": true, "Fatal": true, "Fatalf": true, "Fail": true, "FailNow": true, "panic": true}

// amountOf reads a text. A function and its variant for callers that hold a lock count
// once. What does not parse has nothing.
func amountOf(text []byte) amount {
	total := amount{names: map[string]int{}}
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return total
	}
	most := map[string]*amount{}
	for _, d := range f.Decls {
		key := ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			key = "func " + strings.ToLower(strings.TrimSuffix(fn.Name.Name, "Locked"))
		}
		a := amountIn(d)
		if old := most[key]; old != nil && key != "" {
			old.atLeast(a)
		} else if old != nil {
			old.add(a)
		} else {
			most[key] = &a
		}
	}
	for _, a := range most {
		total.add(*a)
	}
	return total
}

func amountIn(n ast.Node) amount {
	a := amount{names: map[string]int{}}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			a.spawns++
		case *ast.SendStmt:
			a.sends++
		case *ast.CallExpr:
			a.call(n)
		}
		return true
	})
	return a
}

// atLeast makes each count that of b, if b has more.
func (a *amount) atLeast(b amount) {
	a.fails, a.spawns, a.sends = max(a.fails, b.fails), max(a.spawns, b.spawns), max(a.sends, b.sends)
	for k, n := range b.names {
		a.names[k] = max(a.names[k], n)
	}
}

func (a *amount) call(c *ast.CallExpr) {
	switch fn := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		if failing[fn.Name] {
			a.fails++
		}
		a.names[fn.Name]++
	case *ast.SelectorExpr:
		if failing[fn.Sel.Name] || fn.Sel.Name == "Fatalln" {
			a.fails++
		}
		if fn.Sel.Name == "Go" {
			a.spawns++
		}
		a.names["."+fn.Sel.Name]++
		if x, ok := fn.X.(*ast.Ident); ok {
			a.names[x.Name+"."+fn.Sel.Name]++
		}
	}
}

// weakens says why an edit can't be a fix, whatever runs show: it takes away what fails
// or what does the work, or only changes when things happen. "" if it does not.
func weakens(before, after map[string][]byte) string {
	var was, is amount
	was.names, is.names = map[string]int{}, map[string]int{}
	for name := range after {
		was.add(amountOf(before[name]))
		is.add(amountOf(after[name]))
	}
	switch {
	case is.fails < was.fails:
		return "it takes away a call that reports a failure"
	case is.spawns < was.spawns:
		return "it starts fewer goroutines"
	case is.sends < was.sends:
		return "it sends less"
	}
	for name, why := range timing {
		if is.names[name] > was.names[name] {
			return "it " + why + " (" + strings.TrimPrefix(name, ".") + ")"
		}
	}
	return ""
}

func (a *amount) add(b amount) {
	a.fails, a.spawns, a.sends = a.fails+b.fails, a.spawns+b.spawns, a.sends+b.sends
	for k, n := range b.names {
		a.names[k] += n
	}
}

// changesCheck says whether an edit changes the statement that reported the failure, or
// the condition under which it does.
func changesCheck(file string, line int, before, after []byte) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, before, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	hs := hunks(before, after)
	why := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		from, to := fset.Position(n.Pos()).Line, fset.Position(n.End()).Line
		if line < from || to < line {
			return false
		}
		changed := false
		switch n := n.(type) {
		case *ast.IfStmt: // its condition
			changed = touched(hs, from, fset.Position(n.Body.Lbrace).Line) && reportsAt(fset, n.Body, line)
		case *ast.ExprStmt:
			if c, ok := n.X.(*ast.CallExpr); ok && reports(c) {
				changed = touched(hs, from, to)
			}
		}
		if changed {
			why = fmt.Sprintf("it changes the check that failed (%s:%d)", filepath.Base(file), line)
		}
		return true
	})
	return why
}

func reports(c *ast.CallExpr) bool {
	var a amount
	a.names = map[string]int{}
	a.call(c)
	return a.fails > 0
}

// reportsAt reports whether a block has, at a line, a call that reports a failure.
func reportsAt(fset *token.FileSet, b *ast.BlockStmt, line int) (yes bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && reports(c) && fset.Position(c.Pos()).Line <= line && line <= fset.Position(c.End()).Line {
			yes = true
		}
		return !yes
	})
	return yes
}

// leavesEarlier says whether an edit adds a statement that may leave the function of the
// failing check before it comes to it. It is for tests, whose execution Go does not count.
func leavesEarlier(file string, line int, before, after []byte, hs []hunk) string {
	to := carried(hs, line)
	if len(to) != 1 {
		return ""
	}
	if was, is := leaves(file, line, before), leaves(file, to[0], after); is > was {
		return fmt.Sprintf("it may leave before the check that failed (%s:%d)", filepath.Base(file), line)
	}
	return ""
}

// leaves counts the statements before a line that leave the declared function around it.
func leaves(file string, line int, text []byte) (n int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return 0
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fset.Position(fn.Pos()).Line <= line && line <= fset.Position(fn.End()).Line {
			ast.Inspect(fn, func(x ast.Node) bool {
				if _, lit := x.(*ast.FuncLit); lit {
					return false
				}
				switch x.(type) {
				case *ast.ReturnStmt, *ast.BranchStmt:
					if fset.Position(x.Pos()).Line < line {
						n++
					}
				}
				return true
			})
		}
	}
	return n
}
