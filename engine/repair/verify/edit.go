package verify

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/internal/words"
)

// amount counts what a text can do.
type amount struct {
	fails, spawns, sends int
	gives                map[string]int // channels, as they are written, of sends that may be given up for another case of a select
	names                map[string]int // of what is called: "close", ".Skip", "time.Sleep"
	checks               map[string]int // calls that are given a test, as they are written
	in                   *surroundings
}

// surroundings are what a file knows by which names.
type surroundings struct {
	fset    *token.FileSet
	text    []byte
	imports map[string]string // import path by the name that it has in the file
	tests   map[string]bool   // names of parameters through which a test can fail
}

func newAmount(in *surroundings) amount {
	return amount{gives: map[string]int{}, names: map[string]int{}, checks: map[string]int{}, in: in}
}

// timing are calls that change when something happens, or whether it is seen, and not
// what may happen.
var timing = map[string]string{
	"time.Sleep": "waits for a time", "time.After": "waits for a time", "time.NewTimer": "waits for a time", "time.Tick": "waits for a time",
	"time.NewTicker": "waits for a time", "time.AfterFunc": "waits for a time", "context.WithTimeout": "waits for a time", "context.WithDeadline": "waits for a time",
	"runtime.Gosched": "changes only when goroutines run", "runtime.GOMAXPROCS": "changes only when goroutines run", "runtime.LockOSThread": "changes only when goroutines run",
	".TryLock": "gives up where it would wait", ".TryRLock": "gives up where it would wait",
	"recover": "swallows the failure", "os.Exit": "ends the program", "runtime.Goexit": "ends the goroutine",
	".Skip": "skips the test", ".SkipNow": "skips the test", ".Skipf": "skips the test", "testing.Short": "skips the test",
}

// failing are methods and functions that report a failure.
var failing = map[string]bool{"Error": true, "Errorf": true, "Fatal": true, "Fatalf": true, "Fail": true, "FailNow": true, "panic": true}

// amountOf reads a text. A function and its variant for callers that hold a lock count
// once. What does not parse has nothing.
func amountOf(text []byte) amount {
	in := &surroundings{fset: token.NewFileSet(), text: text, imports: map[string]string{}, tests: map[string]bool{}}
	total := newAmount(in)
	f, err := parser.ParseFile(in.fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return total
	}
	in.read(f)
	most := map[string]*amount{}
	for _, d := range f.Decls {
		key := variantOf(d)
		a := amountIn(d, in)
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

// variantOf is what a function and its variant for callers that hold a lock have in
// common; "" for what has no variant.
func variantOf(d ast.Decl) string {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || fn.Name.Name == "init" || fn.Name.Name == "_" {
		return ""
	}
	recv := ""
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		recv = strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
	}
	return recv + "." + strings.ToLower(strings.TrimSuffix(fn.Name.Name, "Locked"))
}

func amountIn(n ast.Node, in *surroundings) amount {
	a := newAmount(in)
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			a.spawns++
		case *ast.SendStmt:
			a.sends++
		case *ast.SelectStmt:
			if len(n.Body.List) < 2 {
				break
			}
			for _, c := range n.Body.List {
				if send, ok := c.(*ast.CommClause).Comm.(*ast.SendStmt); ok {
					a.gives[types.ExprString(send.Chan)]++
				}
			}
		case *ast.CallExpr:
			a.call(n)
			if a.givenTest(n) {
				from, to := in.fset.PositionFor(n.Pos(), false).Offset, in.fset.PositionFor(n.End(), false).Offset
				a.checks[strings.Join(strings.Fields(string(in.text[from:to])), " ")]++
			}
		}
		return true
	})
	return a
}

// read finds out by which names a file knows packages, and tests know themselves.
func (in *surroundings) read(f *ast.File) {
	for _, im := range f.Imports {
		path, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			continue
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if im.Name != nil {
			name = im.Name.Name
		}
		in.imports[name] = path
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncType); ok {
			for _, p := range fn.Params.List {
				if in.isTest(p.Type) {
					for _, id := range p.Names {
						in.tests[id.Name] = true
					}
				}
			}
		}
		return true
	})
}

// isTest reports whether a type is one of package testing's that can fail.
func (in *surroundings) isTest(t ast.Expr) bool {
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && in.imports[x.Name] == "testing" && (sel.Sel.Name == "T" || sel.Sel.Name == "B" || sel.Sel.Name == "F" || sel.Sel.Name == "TB")
}

// givenTest reports whether a call is given a test: it may make it fail, as helpers and
// packages of assertions do.
func (a *amount) givenTest(c *ast.CallExpr) bool {
	return slices.ContainsFunc(c.Args, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && a.in.tests[id.Name]
	})
}

// atLeast makes each count that of b, if b has more.
func (a *amount) atLeast(b amount) {
	a.fails, a.spawns, a.sends = max(a.fails, b.fails), max(a.spawns, b.spawns), max(a.sends, b.sends)
	for _, m := range [][2]map[string]int{{a.gives, b.gives}, {a.names, b.names}, {a.checks, b.checks}} {
		for k, n := range m[1] {
			m[0][k] = max(m[0][k], n)
		}
	}
}

// call counts a call.
func (a *amount) call(c *ast.CallExpr) {
	fails := a.givenTest(c)
	switch fn := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		fails = fails || failing[fn.Name]
		a.names[fn.Name]++
		if from := a.in.imports["."]; from != "" {
			a.names[from+"."+fn.Name]++
		}
	case *ast.SelectorExpr:
		fails = fails || failing[fn.Sel.Name] || fn.Sel.Name == "Fatalln"
		if fn.Sel.Name == "Go" {
			a.spawns++
		}
		a.names["."+fn.Sel.Name]++
		if x, ok := fn.X.(*ast.Ident); ok {
			name := cmp.Or(a.in.imports[x.Name], x.Name) + "." + fn.Sel.Name
			a.names[name]++
			fails = fails || a.in.tests[x.Name] && fn.Sel.Name == "Run" || endsBadly(name, c)
		}
	}
	if fails {
		a.fails++
	}
}

// endsBadly is true of calls that end the program with a failure.
func endsBadly(name string, c *ast.CallExpr) bool {
	if name != "os.Exit" || len(c.Args) != 1 {
		return strings.HasPrefix(name, "log.Panic")
	}
	status, ok := c.Args[0].(*ast.BasicLit)
	return !ok || status.Value != "0"
}

// weakens says why an edit can't be a fix, whatever runs show: it takes away what fails
// or what does the work, or only changes when things happen. "" if it does not.
func weakens(before, after map[string][]byte) string {
	was, is := amounts(before, after)
	switch {
	case is.fails < was.fails:
		return "it takes away a call that reports a failure"
	case is.spawns < was.spawns:
		return "it starts fewer goroutines"
	case is.sends < was.sends:
		return "it sends less"
	}
	for _, name := range slices.Sorted(maps.Keys(timing)) {
		if is.names[name] > was.names[name] {
			return "it " + timing[name] + " (" + strings.TrimPrefix(name, ".") + ")"
		}
	}
	return ""
}

// amounts are those of the edited files, before and after.
func amounts(before, after map[string][]byte) (was, is amount) {
	was, is = newAmount(nil), newAmount(nil)
	for name := range after {
		was.add(amountOf(before[name]))
		is.add(amountOf(after[name]))
	}
	return was, is
}

// givesUp says which sends may be given up that were not before.
func givesUp(before, after map[string][]byte) (tells []string) {
	was, is := amounts(before, after)
	for _, ch := range slices.Sorted(maps.Keys(is.gives)) {
		if is.gives[ch] > was.gives[ch] {
			tells = append(tells, "what is sent on "+ch+" may be dropped: the select can take another case")
		}
	}
	return tells
}

// changesAsserts says whether an edit changes a call that is given a test: what it is
// called with decides what is checked.
func changesAsserts(before, after map[string][]byte) string {
	was, is := amounts(before, after)
	for _, call := range slices.Sorted(maps.Keys(was.checks)) {
		if is.checks[call] < was.checks[call] {
			return "it changes what a test checks: " + words.OneLine(call)
		}
	}
	return ""
}

func (a *amount) add(b amount) {
	a.fails, a.spawns, a.sends = a.fails+b.fails, a.spawns+b.spawns, a.sends+b.sends
	for _, m := range [][2]map[string]int{{a.gives, b.gives}, {a.names, b.names}, {a.checks, b.checks}} {
		for k, n := range m[1] {
			m[0][k] += n
		}
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
	a := newAmount(&surroundings{})
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
