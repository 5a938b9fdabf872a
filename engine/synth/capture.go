package synth

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// byValue is true of a variable that the compiler copies into the closures that use it:
// it is assigned once, and nobody takes its address (cmd/compile/internal/escape).
// go/ssa has a reference there, and a load wherever the variable is used.
func (p *Program) byValue(a *ssa.Alloc) bool {
	v, known := p.captured[a]
	if !known {
		stores := 0
		v = sizes.Sizeof(elem(a.Type())) <= 128 && onlyRead(a, &stores) && stores == 1
		p.captured[a] = v
	}
	return v
}

// onlyRead is true if a variable is only read, but for stores that are counted.
func onlyRead(v ssa.Value, stores *int) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Store:
			if *stores++; r.Addr != v || r.Val == v {
				return false
			}
		case *ssa.FieldAddr:
			if !onlyLoaded(r) {
				return false
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for i, b := range r.Bindings {
				before := *stores
				if b == v && (!onlyRead(fn.FreeVars[i], stores) || *stores != before) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// onlyLoaded is true of the address of a field that is only read.
func onlyLoaded(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		default:
			return false
		}
	}
	return true
}
