package decided

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// goes: what a go statement takes along is shared.
func (a *analysis) goes(c *ssa.CallCommon) {
	a.share(c.Value)
	for _, arg := range c.Args {
		a.share(arg)
	}
	a.call(nil, c)
}

// call binds arguments and results; v is nil if nobody takes the results.
func (a *analysis) call(v ssa.Value, c *ssa.CallCommon) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(v, b.Name(), c.Args)
		return
	}
	if c.IsInvoke() {
		a.invoke(v, c)
		return
	}
	fn := c.StaticCallee()
	if body := a.body(fn); body != nil && len(body.Blocks) > 0 {
		a.bind(v, body, c.Args)
		return
	}
	if fn == nil { // a function value
		a.outside(v, c.Args, true)
		return
	}
	if isLocal(fn) {
		a.local(v, c.Args)
		return
	}
	a.outside(v, c.Args, true)
}

func (a *analysis) bind(v ssa.Value, fn *ssa.Function, args []ssa.Value) {
	for i, arg := range args {
		if i < len(fn.Params) {
			a.setOpen(fn.Params[i], a.isOpen(arg))
			a.note(join(a.region(fn.Params[i]), a.region(arg)))
		}
	}
	if v != nil {
		res := a.result(fn)
		a.setOpen(v, res.open)
		a.note(join(res.region, a.region(v)))
	}
}

// invoke: methods of the name that the program has, and others that are not known.
func (a *analysis) invoke(v ssa.Value, c *ssa.CallCommon) {
	for _, fn := range a.methods[c.Method.Name()] {
		a.bind(v, fn, append([]ssa.Value{c.Value}, c.Args...))
	}
	// An io.Writer does not keep what it is given, and others of std neither.
	pkg := c.Method.Pkg()
	a.outside(v, c.Args, pkg != nil && !isStd(pkg.Path()))
	if r := a.region(c.Value); r != nil && v != nil {
		a.note(join(a.region(v), r))
	}
}

// outside: a function that is not known returns anything, and may keep what it
// gets.
func (a *analysis) outside(v ssa.Value, args []ssa.Value, keeps bool) {
	if v != nil {
		a.setOpen(v, true)
		a.share(v)
	}
	for _, arg := range args {
		r := a.region(arg)
		if r == nil {
			continue
		}
		r = r.root()
		a.note(set(&r.open))
		a.note(set(&r.later))
		if keeps {
			a.note(set(&r.shared))
		}
	}
}

// local: a function that keeps nothing and whose results come of its arguments, and
// of what can be read through them.
func (a *analysis) local(v ssa.Value, args []ssa.Value) {
	open := false
	for _, arg := range args {
		r := a.region(arg)
		open = open || a.isOpen(arg) || r != nil && r.isOpen()
	}
	var all *region
	for _, arg := range args {
		r := a.region(arg)
		if r == nil {
			continue
		}
		a.note(set(&r.root().later))
		if open {
			a.note(set(&r.root().open))
		}
		a.note(join(all, r))
		all = r
	}
	if v == nil {
		return
	}
	a.setOpen(v, open)
	for _, arg := range args {
		a.note(join(a.region(v), a.region(arg)))
	}
}

func (a *analysis) builtin(v ssa.Value, name string, args []ssa.Value) {
	switch name {
	case "append":
		a.flow(v, args...)
		if len(args) == 2 {
			a.copies(args[0], args[1])
		}
	case "copy":
		a.copies(args[0], args[1])
		if v != nil {
			a.setOpen(v, a.isOpen(args[0]) || a.isOpen(args[1]))
		}
	case "len", "cap":
		if v != nil {
			a.flow(v, args[0])
			switch args[0].Type().Underlying().(type) {
			case *types.Map, *types.Chan:
				a.load(v, args[0])
			}
		}
	case "recover":
		if v != nil {
			a.setOpen(v, true)
			a.share(v)
		}
	case "delete", "clear", "close":
		if r := a.region(args[0]); r != nil {
			a.note(set(&r.root().later))
			if len(args) > 1 && a.isOpen(args[1]) {
				a.note(set(&r.root().open))
			}
		}
	default:
		if v != nil {
			a.flow(v, args...)
		}
	}
}

// copies: elements go from one slice, or string, into another.
func (a *analysis) copies(to, from ssa.Value) {
	t, f := a.region(to), a.region(from)
	if t == nil {
		return
	}
	a.note(set(&t.root().later))
	if a.isOpen(from) || f != nil && f.isOpen() {
		a.note(set(&t.root().open))
	}
	if s, ok := to.Type().Underlying().(*types.Slice); ok && a.reaches(s.Elem()) {
		a.note(join(t, f))
	}
}

// isLocal reports whether a function without a body here keeps nothing, starts
// nothing, and computes its results from its arguments alone.
func isLocal(fn *ssa.Function) bool {
	path := ""
	switch {
	case fn.Pkg != nil:
		path = fn.Pkg.Pkg.Path()
	case fn.Object() != nil && fn.Object().Pkg() != nil:
		path = fn.Object().Pkg().Path()
	}
	if path == "math/rand" || path == "math/rand/v2" || strings.HasPrefix(path, "crypto/rand") {
		return false
	}
	if path == "testing" {
		return testReports[fn.Name()]
	}
	root, _, _ := strings.Cut(path, "/")
	return localRoots[root]
}

// testReports are methods of testing.T that only report.
var testReports = setOf("Error Errorf Fatal Fatalf Log Logf Helper Name Skip Skipf SkipNow FailNow Fail")

// localRoots are packages of std, with those below them, that hold no state that
// goroutines share, as far as their callers can see.
var localRoots = setOf("strings strconv bytes unicode math sort slices maps cmp errors fmt bufio encoding hash compress container " +
	"regexp path html text go index io iter crypto image mime log")

// isStd reports whether a package is of the standard library.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
