package decided

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Touches reports whether a function, or one that it may call, comes to memory that
// goroutines share, synchronises, or has to do with the world outside. What others do
// comes out as its arguments alone tell.
func (p *Program) Touches(fn ast.Node) bool {
	f := p.fns[fn]
	return f == nil || p.a.touching[f]
}

// Mute reports whether neither a function nor any that it may call touches something,
// and all that it calls is known.
func (p *Program) Mute(f *types.Func) bool {
	fn := p.a.body(p.a.p.SSA.FuncValue(f))
	return fn != nil && len(fn.Blocks) > 0 && !p.a.telling[fn]
}

func (a *analysis) findTelling() {
	a.telling = map[*ssa.Function]bool{}
	for changed := true; changed; {
		changed = false
		for _, fn := range a.fns {
			if !a.telling[fn] && (a.touching[fn] || a.callsTelling(fn)) {
				a.telling[fn] = true
				changed = true
			}
		}
	}
}

func (a *analysis) callsTelling(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(ssa.CallInstruction); ok && a.tells(c.Common()) {
				return true
			}
		}
	}
	return false
}

// tells: what has no body here is known if it is given nothing that it could call.
func (a *analysis) tells(c *ssa.CallCommon) bool {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return false
	}
	fn := c.StaticCallee()
	if body := a.body(fn); body != nil && len(body.Blocks) > 0 {
		return a.telling[body]
	}
	return fn == nil || !isLocal(fn) || !onlyPlain(fn.Signature.Params()) || fn.Signature.Recv() != nil
}

// onlyPlain reports whether all are numbers, strings, or slices of those.
func onlyPlain(vars *types.Tuple) bool {
	for v := range vars.Variables() {
		t := v.Type().Underlying()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem().Underlying()
		}
		if b, ok := t.(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
			return false
		}
	}
	return true
}

// findTouching is called once regions are known.
func (a *analysis) findTouching() {
	a.touching = map[*ssa.Function]bool{}
	for changed := true; changed; {
		changed = false
		for _, fn := range a.fns {
			if !a.touching[fn] && a.touchesNow(fn) {
				a.touching[fn] = true
				changed = true
			}
		}
	}
}

func (a *analysis) touchesNow(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if a.touches(in) {
				return true
			}
		}
	}
	return false
}

func (a *analysis) touches(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.ARROW || in.Op == token.MUL && a.frozen[in.X] == nil && a.isShared(in.X)
	case *ssa.Store:
		return a.isShared(in.Addr)
	case *ssa.MapUpdate:
		return a.isShared(in.Map)
	case *ssa.Lookup:
		return a.isShared(in.X)
	case *ssa.Range:
		_, isMap := in.X.Type().Underlying().(*types.Map)
		return isMap && a.isShared(in.X)
	case *ssa.Send, *ssa.Select, *ssa.Go:
		return true
	case ssa.CallInstruction:
		return a.callTouches(in.Common())
	}
	return false
}

func (a *analysis) isShared(v ssa.Value) bool {
	r := a.region(v)
	if r == nil {
		return false
	}
	r = r.root()
	return r.shared || r.global && r.later
}

func (a *analysis) callTouches(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			_, isMap := c.Args[0].Type().Underlying().(*types.Map)
			return isMap && a.isShared(c.Args[0])
		case "append", "copy", "delete", "clear", "close":
			return a.anyShared(c.Args)
		}
		return false
	}
	fn := c.StaticCallee()
	if body := a.body(fn); body != nil && len(body.Blocks) > 0 {
		return a.touching[body]
	}
	return fn == nil || !isLocal(fn) || a.anyShared(c.Args)
}

func (a *analysis) anyShared(args []ssa.Value) bool {
	for _, arg := range args {
		if a.isShared(arg) {
			return true
		}
	}
	return false
}
