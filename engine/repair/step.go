package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/engine/report"
)

// Step is one step of the root cause in the sources.
type Step struct {
	report.Access
	Index int // in the root cause
	Pkg   *program.Package
	File  *ast.File
	// Path are the nodes around the access, the innermost first. Path[0] is the access
	// itself if it was recognised: an identifier, selector, index, call, send, receive.
	Path []ast.Node
	Fn   ast.Node // the *ast.FuncDecl or *ast.FuncLit around it
	// Obj is the variable, field, lock or channel that is accessed; nil if not known.
	Obj types.Object
	// Root is the expression that names Obj at this place, "s.mu"; nil if not known.
	Root ast.Expr
	// Caller is where a shared helper that does the access was called; nil if it is
	// not in one.
	Caller *Step
}

// At is where the access is.
func (s *Step) At() token.Pos { return s.Path[0].Pos() }

// Stmt is the innermost statement around the access.
func (s *Step) Stmt() ast.Stmt {
	for _, n := range s.Path {
		if st, ok := n.(ast.Stmt); ok {
			return st
		}
	}
	return nil
}

// Frames are the step and its callers, the innermost first.
func (s *Step) Frames() (list []*Step) {
	for ; s != nil; s = s.Caller {
		list = append(list, s)
	}
	return list
}

// locate finds the steps of the root cause and the blocked goroutines. Those in files
// that are not loaded are nil.
func (s *search) locate() {
	for i, a := range s.Finding.RootCause {
		st := s.at(a)
		if st != nil {
			st.Index = i
		}
		s.steps = append(s.steps, st)
	}
	for _, b := range s.Finding.Blocked {
		op, on, _ := strings.Cut(b.On, " ")
		s.blocked = append(s.blocked, s.at(report.Access{Goroutine: b.Goroutine, File: b.File, Line: b.Line, Column: b.Column, Func: b.Func, Op: op, Var: strings.TrimPrefix(on, "on ")}))
	}
}

func (s *search) at(a report.Access) *Step {
	st := s.place(a.File, a.Line, a.Op, a.Var)
	if st == nil {
		return nil
	}
	st.Access = a
	if a.Call != nil {
		st.Caller = s.callSite(a)
	}
	return st
}

// callSite is where the function of an access is called in its caller.
func (s *search) callSite(a report.Access) *Step {
	fn := a.Func[strings.LastIndexByte(a.Func, '.')+1:]
	st := s.place(a.Call.File, a.Call.Line, "call", fn)
	if st != nil {
		st.Access = report.Access{Goroutine: a.Goroutine, File: a.Call.File, Line: a.Call.Line, Column: a.Call.Column, Op: "call", Var: fn, Func: a.Call.Func}
	}
	return st
}

// place finds an access by line, operation and the name of what is accessed.
func (s *search) place(file string, line int, op, name string) *Step {
	pkg, f := s.Code.file(s.Roots.Abs(file))
	if f == nil {
		return nil
	}
	found := s.find(pkg, f, line, op, name)
	if found == nil {
		return nil
	}
	st := &Step{Pkg: pkg, File: f, Root: found.root, Obj: found.obj}
	st.Path, _ = astutil.PathEnclosingInterval(f, found.node.Pos(), found.node.End())
	for len(st.Path) > 0 && st.Path[0] != found.node {
		st.Path = st.Path[1:]
	}
	for _, n := range st.Path {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			if st.Fn == nil && n != found.node {
				st.Fn = n
			}
		}
	}
	if st.Fn == nil || len(st.Path) == 0 {
		return nil
	}
	return st
}
